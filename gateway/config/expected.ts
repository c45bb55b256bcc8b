import type { core } from 'zod';
import { nearest } from '../nearest.ts';

const types: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'keys below it',
  record: 'keys below it',
};

/** What a schema wanted, as the rest of a sentence that begins with "expected". Never quotes the value: it may be a secret. */
export function expected(issue: core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return types[issue.expected] ?? issue.expected;
    case 'too_small':
      return size(issue.origin, `${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}`);
    case 'too_big':
      return size(issue.origin, `${issue.inclusive === false ? 'less than' : 'at most'} ${issue.maximum}`);
    case 'invalid_value':
      return issue.values.length === 1 ? String(issue.values[0]) : `one of ${issue.values.map(String).join(', ')}`;
    case 'invalid_format':
      return issue.format === 'regex' ? `a text of the form ${issue.pattern}` : `a valid ${issue.format}`;
    case 'invalid_union':
      return anyOf(issue);
    default:
      return `something else (${issue.message})`;
  }
}

/** "; did you mean daily?" when a choice was mistyped. */
export function suggestion(issue: core.$ZodIssue, value: unknown): string {
  if (issue.code !== 'invalid_value' || typeof value !== 'string') return '';
  const near = nearest(value, issue.values.map(String));
  return near === undefined ? '' : `; did you mean ${near}?`;
}

function size(origin: string, bound: string): string {
  if (origin === 'string') return `a text of ${bound} characters`;
  if (origin === 'array' || origin === 'set') return `a list of ${bound} entries`;
  return `a number of ${bound}`;
}

function anyOf(issue: core.$ZodIssueInvalidUnion): string {
  const options = issue.errors.flatMap((errors) => errors.slice(0, 1)).map(expected);
  return options.length === 0 ? `something else (${issue.message})` : [...new Set(options)].join(', or ');
}
