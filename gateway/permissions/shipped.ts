/** The rules that every gateway has before anybody writes one. Stricter in groups, where many people may write and read along. */
import type { Rule, RuleScope } from './rule.ts';

const othersInGroups: RuleScope = { chatTypes: ['group', 'channel'], roles: ['user'] };

/** What runs commands and code, what writes files, whatever tool does it, and what lets others make this machine call an address of theirs. */
const asked: readonly string[] = ['terminal.*', 'code_execution.*', 'file.write', 'web_extract'];

/** They only make stricter: where the owner forbids more, that stays; a rule of the owner's own for groups comes after them and may loosen them. */
export const shippedRules: readonly Rule[] = asked.map((tool) => ({
  tool,
  decision: 'ask',
  scope: othersInGroups,
  origin: 'shipped with the gateway',
  floor: true,
}));
