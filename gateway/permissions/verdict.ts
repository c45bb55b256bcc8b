/** What the rules' judgement means for a call, in words for the model and for people. Pure. */
import type { Verdict } from '../../agent/policy.ts';
import { type Risk, UNKNOWN } from '../../agent/risk.ts';
import type { Judgement, RuledTouch } from './permissions.ts';
import { type Rule, ruleOrigin, ruleText } from './rule.ts';

export type PermissionVerdict = Verdict & { readonly by: string };

/** Undefined: no rule decides. */
export function permissionVerdict({ decision, by, touches }: Judgement, risk: Risk): PermissionVerdict | undefined {
  if (decision === undefined || by?.rule === undefined) return undefined;
  const name = ruleName(by.rule);
  if (decision === 'allow') return { verdict: 'allow', reason: '', by: name };
  if (decision === 'deny') return { verdict: 'deny', reason: forbidden(by, by.rule), by: name };
  const why = risk.why === '' ? '' : `${risk.why} `;
  return { verdict: 'ask', reason: `${why}${asked(by, by.rule)}`, by: name, doubtful: doubtfulOf(touches, risk) };
}

/** "terminal(git push *): ask (permissions.yaml line 3)" */
export function ruleName(rule: Rule): string {
  return `${ruleText(rule)} (${ruleOrigin(rule)})`;
}

/** As it is shown to people, and as the subjects of a call are written. */
export function shownTouch(name: string): string {
  return name.replaceAll(UNKNOWN, '…');
}

function forbidden({ touch }: RuledTouch, rule: Rule): string {
  const what = touch.name === '' ? 'this' : shownTouch(touch.name);
  return `Refused by the owner's rule ${ruleName(rule)}: ${what} is not allowed here. Do not look for another way to the same effect; go on without it, or tell the person that the rule forbids it.`;
}

function asked({ maybe }: RuledTouch, rule: Rule): string {
  return maybe === true
    ? `Whether the rule ${ruleName(rule)} is about it only shows when it runs.`
    : `The rule ${ruleName(rule)} says to ask about it.`;
}

/** For whose sake a rule asks, and for whose sake the call itself does. */
function doubtfulOf(touches: readonly RuledTouch[], { level, subjects, doubtful }: Risk): readonly string[] {
  const names = touches.flatMap(({ touch, decision }) => (decision === 'ask' ? [touch.name, ...(touch.also ?? [])].map(shownTouch) : []));
  const own = level === 'ask' ? (doubtful ?? subjects) : [];
  const found = subjects.filter((subject) => names.includes(subject) || own.includes(subject));
  return found.length > 0 ? found : subjects;
}
