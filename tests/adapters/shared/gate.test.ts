import { describe, expect, it } from 'vitest';
import { type GateRules, type GroupMessage, judge } from '../../../adapters/shared/gate.ts';

const rules: GateRules = {
  requireMention: true,
  freeResponseChats: ['free'],
  mentionRequiredChats: ['quiet'],
  ignoredChats: ['closed'],
  patterns: [/\bhermes\b/iu],
};
const message: GroupMessage = { chat: 'group', text: 'hello', mentioned: false, repliesToBot: false, command: 'none' };

describe('a group message', () => {
  it.each<[string, Partial<GroupMessage>, Partial<GateRules>, string]>([
    ['that is nobody to us', {}, {}, 'ignored'],
    ['with a mention', { mentioned: true }, {}, 'addressed'],
    ['that replies to the bot', { repliesToBot: true }, {}, 'addressed'],
    ['with our command', { command: 'ours' }, {}, 'addressed'],
    ['with a command from our menu', { command: 'anyone' }, {}, 'addressed'],
    ['with a command for another bot', { command: 'other' }, {}, 'ignored'],
    ['with a command for another bot in a free chat', { command: 'other', chat: 'free' }, { requireMention: false }, 'ignored'],
    ['with a command for another bot that also mentions us', { command: 'other', mentioned: true }, {}, 'addressed'],
    ['that matches a pattern', { text: 'Hermes, go' }, {}, 'addressed'],
    ['that matches no pattern as a whole word', { text: 'thermes' }, {}, 'ignored'],
    ['in a free chat', { chat: 'free' }, {}, 'overheard'],
    ['where no mention is required', {}, { requireMention: false }, 'overheard'],
    ['where no mention is required but in this chat', { chat: 'quiet' }, { requireMention: false }, 'ignored'],
    ['with a mention in such a chat', { chat: 'quiet', mentioned: true }, { requireMention: false }, 'addressed'],
    ['with a mention in a chat that the bot stays out of', { chat: 'closed', mentioned: true }, {}, 'ignored'],
    ['with a mention where none is required', { mentioned: true }, { requireMention: false }, 'addressed'],
  ])('%s', (_title, facts, given, verdict) => {
    expect(judge({ ...message, ...facts }, { ...rules, ...given })).toBe(verdict);
  });
});
