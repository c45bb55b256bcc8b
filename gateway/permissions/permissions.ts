/** What the rules say about a call. Pure: the same call by the same person in the same chat is judged the same. */
import type { Risk, Touch } from '../../agent/risk.ts';
import { createMatcher, type Files, type Matcher } from './match.ts';
import { holdsIn, type Place, type Rule, type RuleDecision } from './rule.ts';

export interface Permissions {
  /** In the order in which they count: the last one that matches wins. */
  readonly rules: readonly Rule[];
  judge(call: CallFacts, place: Place): Judgement;
}

export interface CallFacts {
  readonly tool: string;
  readonly toolset: string;
  readonly workspace: string;
  readonly risk: Pick<Risk, 'subjects' | 'touches'>;
}

export interface RuledTouch {
  readonly touch: Touch;
  /** Absent: no rule is about it. */
  readonly rule?: Rule;
  /** `ask` where it only shows when the call runs whether the rule forbids it. */
  readonly decision?: RuleDecision;
  readonly maybe?: true;
}

export interface Judgement {
  /** Undefined: the rules leave it to the risk of the call. */
  readonly decision: RuleDecision | undefined;
  /** What was decided by; of several the first. */
  readonly by: RuledTouch | undefined;
  readonly touches: readonly RuledTouch[];
}

export function createPermissions(rules: readonly Rule[], files: Files): Permissions {
  const compiled = rules.map((rule): Compiled => ({ rule, matches: createMatcher(rule, files) }));
  return {
    rules,
    judge: ({ tool, toolset, workspace, risk }, place) => {
      const all = touchesOf(risk);
      const call = { tool, toolset, workspace, hasCommands: all.some(({ kind }) => kind === 'command') };
      const here = compiled.filter(({ rule }) => holdsIn(rule.scope, place));
      return combined(all.map((touch) => ruled(touch, here, (matches) => matches(call, touch))));
    },
  };
}

interface Compiled {
  readonly rule: Rule;
  readonly matches: Matcher;
}

/** A call that tells of nothing that it does can be decided about as a whole only. */
function touchesOf({ subjects, touches }: CallFacts['risk']): readonly Touch[] {
  if (touches !== undefined && touches.length > 0) return touches;
  return (subjects.length > 0 ? subjects : ['']).map((name) => ({ kind: 'text', name }));
}

const strictness: Readonly<Record<RuleDecision, number>> = { allow: 0, ask: 1, deny: 2 };

function ruled(touch: Touch, rules: readonly Compiled[], judged: (matches: Matcher) => ReturnType<Matcher>): RuledTouch {
  let last: Rule | undefined;
  let doubt: Rule | undefined;
  for (const { rule, matches } of rules) {
    const match = judged(matches);
    if (match === 'no') continue;
    if (match === 'maybe') doubt = rule;
    else if (rule.floor !== true || last === undefined || strictness[last.decision] < strictness[rule.decision]) {
      last = rule;
      if (rule.floor !== true) doubt = undefined;
    }
  }
  if (doubt !== undefined && last?.decision !== 'deny') return { touch, rule: doubt, decision: 'ask', maybe: true };
  return last === undefined ? { touch } : { touch, rule: last, decision: last.decision };
}

/** The strictest decides, and nothing is allowed unless all of it is. */
function combined(touches: readonly RuledTouch[]): Judgement {
  const strict = touches.find(({ decision }) => decision === 'deny') ?? touches.find(({ decision }) => decision === 'ask');
  if (strict?.decision !== undefined) return { decision: strict.decision, by: strict, touches };
  const needed = touches.filter(({ touch }) => touch.implied !== true);
  const isAllowed = needed.length > 0 && needed.every(({ decision }) => decision === 'allow');
  return isAllowed ? { decision: 'allow', by: needed[0], touches } : { decision: undefined, by: undefined, touches };
}
