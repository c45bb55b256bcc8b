/** No secret gets into the record, through whatever it records. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ToolMessage, ToolStatus } from '../../agent/message.ts';
import { createAudit } from '../../gateway/audit.ts';
import { loadConfig } from '../../gateway/config/load.ts';
import type { AskRow } from '../../gateway/store/asks.ts';
import type { Store } from '../../gateway/store/index.ts';
import type { AskDecision } from '../../gateway/store/schema.ts';
import type { TurnRow } from '../../gateway/store/turns.ts';
import { temporaryHome, temporaryStore } from './support/home.ts';

/** In .env under names of our own and of others, with quotes and without. */
const env = {
  TELEGRAM_BOT_TOKEN: '8123456789:AAHc4naryc4naryc4naryc4naryc4nary00',
  WEIRD_SECRET: 'odd"c4nary\\with/all that',
  SOMEBODYS_API_KEY: 'plainc4nary7f3a',
  DB_PASSWORD: 'c4nary-with-hyphens-and-äöü',
} as const;

/** What nobody told us, and what only looks like a secret. */
const patterns = [
  'ghp_c4nary0123456789c4nary0123456789',
  'sk-ant-c4nary0123456789c4nary01234',
  'xoxb-1234567890-c4nary0123456789',
  'https://ann:c4naryPass9@db.example.org/x',
  'Authorization: Bearer c4nary0123456789',
  '7123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALc4nary',
];

function secretsOf(home: string): readonly string[] {
  const lines = Object.entries(env).map(([name, value]) => `${name}='${value}'`);
  writeFileSync(path.join(home, '.env'), lines.join('\n'));
  return loadConfig({}, { home, env: {} }).secrets;
}

/** As somebody who wants to have them recorded would write them. */
function spellings(secret: string): readonly string[] {
  const escaped = [...secret].map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
  return [
    secret,
    JSON.stringify(secret),
    `{"a":"${escaped}"}`,
    encodeURIComponent(secret),
    JSON.stringify({ command: `echo '${secret}'` }),
  ];
}

const all = [...Object.values(env), ...patterns];
/** A pattern has no other spelling that we know of than the letters themselves, and those of JSON. */
const said = [...Object.values(env).flatMap(spellings), ...patterns, ...patterns.map((secret) => JSON.stringify({ x: secret }))].join(
  ' \n ',
);

const statuses: readonly ToolStatus[] = ['ok', 'error', 'refused', 'skipped', 'interrupted', 'unknown'];

/** Ids of people and accounts are the platform's and stay. */
const ann = { id: 'ann', name: `Ann ${said}` };
const chat = { platform: 'fake', account: 'main', chat: `chat ${said}`, thread: `thread ${said}` };

function turnOf(store: Store): TurnRow {
  return store.turns.create({ sessionId: `session ${said}`, lane: 'fake/main/ann', target: { chat, chatType: 'dm' }, requester: ann });
}

function askOf(turn: TurnRow): AskRow {
  const body: AskRow['body'] = { kind: 'approval', markdown: said, subjects: [said], remember: { session: said } };
  const { id: turnId, lane, target, requester } = turn;
  const facts = { n: 0, token: said, chat: said, number: 1, state: 'open', decision: null, cardId: 1, deadline: 0 } as const;
  return { id: 1, turnId, callId: `call ${said}`, lane, target, requester, body, ...facts };
}

/** Through every method there is, in every text that it takes. */
function recordEverything(store: Store, secrets: () => readonly string[]): readonly string[] {
  const audit = createAudit({ store, secrets, now: () => 5 });
  const turn = turnOf(store);
  const turns = audit.turn(turn);
  const call = { id: `call ${said}`, name: `tool ${said}`, arguments: said };
  turns
    .policy({ decide: () => ({ verdict: 'allow', reason: said, by: said }) })
    .decide(call, { level: 'safe', why: said, subjects: [said] }, { id: said, workspace: said });
  turns.started(call);
  for (const status of statuses) {
    const result: ToolMessage = { role: 'tool', callId: call.id, name: call.name, status, content: said, exitCode: 1 };
    turns.finished(call, result, 1);
    turns.finished(call, result, undefined);
  }
  const decision: AskDecision = { choice: said, text: said, by: { id: 'ann', name: said } };
  audit.askDecided(askOf(turn), decision);
  const person = { account: 'fake/main', person: 'ann', name: said, role: said, by: said };
  for (const event of ['pairing.approved', 'pairing.revoked', 'pairing.forgotten', 'owner.claimed'] as const) audit.person(event, person);
  audit.guess({ account: 'fake/main', person: 'ann', name: said, of: 'claim', why: 'wrong' });
  const by = { chat, chatType: 'dm', sender: { ...ann, aliases: [said], isBot: false, roles: [said] } } as const;
  for (const outcome of ['ran', 'refused'] as const) audit.command(by, { name: said, outcome, reply: said });
  audit.owner(said, { label: said });
  return Object.keys(audit);
}

describe('the values of .env, and what looks like a secret', () => {
  it('get into no row, through no field, in no spelling', () => {
    const home = temporaryHome();
    const secrets = secretsOf(home);
    expect([...secrets].sort()).toEqual(Object.values(env).sort());
    const store = temporaryStore({ home });
    const methods = recordEverything(store, () => secrets);
    // A new way to record something belongs into recordEverything.
    expect([...methods].sort()).toEqual(['askDecided', 'command', 'guess', 'owner', 'person', 'turn']);
    const { entries } = store.audit.read({ limit: 1000 });
    expect(new Set(entries.map(({ event }) => event))).toEqual(
      new Set(
        `call.started call.finished call.refused call.invalid ask.decided pairing.approved pairing.revoked pairing.forgotten owner.claimed
        pairing.failed command command.refused owner`.split(/\s+/u),
      ),
    );
    const texts = entries.flatMap(({ tool, facts }) => [tool, ...Object.values(facts).map(String)]);
    for (const text of texts) expect(text).not.toMatch(/c4nary|\\u0063/i);
    for (const secret of all) for (const text of texts) expect(text).not.toContain(secret);
    expect(texts.filter((text) => text.includes('[redacted]')).length).toBeGreaterThan(40);
    expect(store.audit.check().problem).toBeUndefined();
  });

  it('are followed when the configuration changes', () => {
    const store = temporaryStore();
    const known = { secrets: [] as readonly string[] };
    const audit = createAudit({ store, secrets: () => known.secrets, now: () => 5 });
    known.secrets = ['brandnewc4nary'];
    audit.owner('restart', { why: 'brandnewc4nary' });
    expect(JSON.stringify(store.audit.read({ limit: 1 }))).not.toContain('c4nary');
  });

  it('are taken out before a long reason is cut: half of one is still too much', () => {
    const store = temporaryStore();
    const turns = createAudit({ store, secrets: () => [], now: () => 5 }).turn(turnOf(store));
    const call = { id: 'c', name: 'act', arguments: '{}' };
    const content = `${'x'.repeat(985)} ${'ghp_c4nary0123456789c4nary0123456789'}`;
    turns.finished(call, { role: 'tool', callId: 'c', name: 'act', status: 'refused', content }, undefined);
    const reason = String(store.audit.read({ limit: 1 }).entries[0]?.facts['reason']);
    expect(reason).not.toContain('ghp_c4nar');
    expect(reason.length).toBeLessThanOrEqual(1000);
  });
});
