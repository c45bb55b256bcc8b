/** What `hermes permissions` tells: the rules that hold, which of them decides about a call, and what was allowed for good. */
import path from 'node:path';
import type { ChatType } from '../../adapters/adapter.ts';
import type { Risk } from '../../agent/risk.ts';
import type { Tool } from '../../agent/tool.ts';
import type { RoleFacts } from '../roles.ts';
import type { Role } from '../store/people-schema.ts';
import type { ApprovalsControl } from './approvals.ts';
import { parseCall, type WrittenCall } from './call.ts';
import { createGlob } from './glob.ts';
import type { Judgement } from './permissions.ts';
import { placeOfVisitor } from './place.ts';
import { type Place, type Rule, type RuleDecision, type RuleScope, ruleOrigin, ruleText } from './rule.ts';
import { ruleName, shownTouch } from './verdict.ts';

export interface ShownRule {
  readonly rule: string;
  readonly origin: string;
  readonly scope: RuleScope;
  /** It only makes stricter what stands before it. */
  readonly floor: boolean;
  /** No tool of this gateway is called so. */
  readonly isIdle: boolean;
}

export interface CheckQuestion {
  readonly platform: string;
  readonly account: string;
  /** An immutable id. */
  readonly person: string;
  readonly chatType: ChatType;
  readonly chat: string;
  /** "terminal(rm -rf build)" */
  readonly call: string;
}

export interface CheckAnswer {
  readonly role: Role;
  readonly decision: RuleDecision;
  /** One sentence. */
  readonly why: string;
  /** What the tool itself says; absent where there is no such tool. */
  readonly risk?: Pick<Risk, 'level' | 'why'>;
  readonly touches: readonly { readonly kind: string; readonly name: string; readonly decision?: RuleDecision; readonly rule?: string }[];
}

export interface PermissionsControl {
  readonly approvals: ApprovalsControl;
  /** In the order in which they count: the last one that matches wins. */
  list(): readonly ShownRule[];
  /** A sentence where the question cannot be understood. */
  check(question: CheckQuestion, signal: AbortSignal): Promise<CheckAnswer | string>;
}

export interface PermissionsControlOptions extends RoleFacts {
  readonly approvals: ApprovalsControl;
  readonly tools: readonly Tool[];
  readonly home: string;
}

export function createPermissionsControl(options: PermissionsControlOptions): PermissionsControl {
  const { settings, tools, approvals } = options;
  return {
    approvals,
    list: () => settings().permissions.rules.map((rule) => shownRule(rule, tools)),
    check: async (question, signal) => {
      const call = parseCall(question.call, tools);
      return typeof call === 'string' ? call : check(options, { question, call }, signal);
    },
  };
}

function shownRule(rule: Rule, tools: readonly Tool[]): ShownRule {
  const name = createGlob(rule.tool, { isPath: false, hidden: true });
  const names = tools.flatMap((tool) => [tool.name, tool.toolset, `${tool.toolset}.${tool.name}`]);
  const isIdle = ![...names, 'file.read', 'file.write', 'file.search'].some(name.matches);
  return { rule: ruleText(rule), origin: ruleOrigin(rule), scope: rule.scope, floor: rule.floor === true, isIdle };
}

interface Asked {
  readonly question: CheckQuestion;
  readonly call: WrittenCall;
}

/** As in a conversation whose working directory is empty. */
async function check(options: PermissionsControlOptions, { question, call }: Asked, signal: AbortSignal): Promise<CheckAnswer> {
  const workspace = path.join(options.home, 'workspaces', 'check');
  const risk = await riskOf(call, workspace, signal);
  const place = placeOfQuestion(question, options);
  const { tool, toolset } = call;
  const judged = options.settings().permissions.judge({ tool, toolset, workspace, risk }, place);
  const isKnown = call.known !== undefined;
  const touches = judged.touches.map(({ touch: { kind, name }, decision, rule }) => ({
    kind,
    name: shownTouch(name),
    ...(decision === undefined || rule === undefined ? {} : { decision, rule: ruleName(rule) }),
  }));
  const decided = isKnown || judged.decision !== undefined ? outcomeOf(judged, risk, options.settings().approvals.mode) : unknownTool;
  return { role: place.role, ...decided, touches, ...(isKnown ? { risk: { level: risk.level, why: risk.why } } : {}) };
}

async function riskOf({ known, argument }: WrittenCall, workspace: string, signal: AbortSignal): Promise<Risk> {
  const risk = await known?.tool.risk?.(known.args, { id: 'check', workspace }, signal);
  return risk ?? { level: 'safe', why: '', subjects: argument === '' ? [] : [argument] };
}

function placeOfQuestion({ platform, account, person, chatType, chat }: CheckQuestion, facts: RoleFacts): Place {
  const sender = { id: person, aliases: [], name: '', isBot: false, roles: [] };
  return placeOfVisitor({ chat: { platform, account, chat }, chatType, sender }, facts);
}

const unknownTool = { decision: 'allow' as const, why: 'No rule is about it, and this gateway has no such tool that could judge it.' };

/** As gateway/policy.ts decides it, but for what was answered before in a conversation. */
function outcomeOf({ decision, by }: Judgement, risk: Risk, mode: string): Pick<CheckAnswer, 'decision' | 'why'> {
  if (risk.level === 'hardline') return { decision: 'deny', why: `Never allowed, whatever the rules say: ${risk.why}` };
  if (decision !== undefined && by?.rule !== undefined) {
    const doubt = by.maybe === true ? 'Whether that rule is about it only shows when it runs: ' : '';
    return { decision, why: `${doubt}${ruleName(by.rule)}` };
  }
  const rest = 'No rule decides about all of it, so the tool does.';
  if (risk.level === 'safe') return { decision: 'allow', why: `${rest} It takes it for harmless.` };
  if (mode === 'off') return { decision: 'allow', why: `${rest} It would ask (${risk.why}), but approvals.mode is off.` };
  return { decision: 'ask', why: `${rest} ${risk.why}${mode === 'smart' ? ' (approvals.mode is smart: a model may decide it.)' : ''}` };
}
