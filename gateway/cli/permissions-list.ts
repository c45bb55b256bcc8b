import type { ShownRule } from '../permissions/control.ts';
import type { RuleScope } from '../permissions/rule.ts';
import { permissionsSource } from './permissions-source.ts';
import { printable } from './printable.ts';
import { type Act, exitCodes } from './verbs.ts';

export const act: Act = async (context) => {
  const { options, print } = context;
  const { isRunning, list } = await permissionsSource(context);
  const rules = await list();
  if (options['json'] === true) print(JSON.stringify({ rules }, undefined, 2));
  else for (const line of describe(rules, isRunning)) print(printable(line));
  return exitCodes.ok;
};

const empty = 'There are no rules: each tool judges by itself what must be asked about.';
const end = 'The last rule that matches wins. Where none does, the tool judges. What may never be done is refused whatever a rule says.';

function describe(rules: readonly ShownRule[], isRunning: boolean): string[] {
  const head = isRunning ? 'The rules that the running gateway keeps to, in order:' : 'No gateway runs. The rules in the files, in order:';
  if (rules.length === 0) return [empty];
  const width = Math.max(...rules.map(({ rule }) => rule.length));
  const lines = rules.map((rule, index) => {
    const before = rules[index - 1];
    const scope = scopeText(rule.scope);
    const heading = before !== undefined && scopeText(before.scope) === scope ? [] : [`${scope}:`];
    return [...heading, `  ${rule.rule.padEnd(width)}  ${rule.origin}${remarks(rule)}`];
  });
  return [head, ...lines.flat(), end];
}

function remarks({ floor, isIdle }: ShownRule): string {
  const all = [...(floor ? ['only makes stricter'] : []), ...(isIdle ? ['there is no such tool'] : [])];
  return all.length === 0 ? '' : ` (${all.join(', ')})`;
}

function scopeText({ platforms, chatTypes, chats, roles }: RuleScope): string {
  const parts = [
    ...(platforms === undefined ? [] : [`on ${platforms.join(' or ')}`]),
    ...(chatTypes === undefined ? [] : [`in a ${chatTypes.join(' or ')}`]),
    ...(chats === undefined ? [] : [`in the chat ${chats.join(' or ')}`]),
    ...(roles === undefined ? [] : [`for ${roles.join(' or ')}`]),
  ];
  return parts.length === 0 ? 'everywhere' : parts.join(', ');
}
