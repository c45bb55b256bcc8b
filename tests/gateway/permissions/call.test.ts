import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../../agent/tool.ts';
import { parseCall } from '../../../gateway/permissions/call.ts';

function tool(name: string, toolset: string, args: z.ZodObject) {
  const run = async () => ({ content: '' });
  return defineTool({ name, toolset, args, description: '', effect: 'read', preview: () => '', run });
}

const tools = [
  tool('terminal', 'terminal', z.object({ command: z.string(), workdir: z.string().optional() })),
  tool('web_extract', 'web', z.object({ urls: z.array(z.string()).min(1) })),
  tool('patch', 'file', z.object({ mode: z.enum(['replace', 'patch']).default('replace'), path: z.string().optional() })),
];

describe('a call as people write it', () => {
  it.each([
    ['terminal(rm -rf "a) b")', { command: 'rm -rf "a) b"' }],
    [' terminal.terminal ( ls ) ', { command: ' ls ' }],
    ['terminal({"command": "make", "workdir": "/srv"})', { command: 'make', workdir: '/srv' }],
    ['web.web_extract(https://example.com/a?b=(c))', { urls: ['https://example.com/a?b=(c)'] }],
    ['patch(/srv/a)', { mode: 'replace', path: '/srv/a' }],
  ])('%s is given to the tool as it takes it', (text, args) => {
    const call = parseCall(text, tools);
    expect(typeof call === 'string' ? call : call.known?.args).toEqual(args);
  });

  it.each([
    ['rm -rf build', 'Write the call as a tool'],
    ['terminal({"command": 7})', 'Write its arguments as JSON'],
    ['terminal({"command": "a")', 'Write its arguments as JSON'],
    ['', 'Write the call as a tool'],
  ])('%j is a sentence about how to write it', (text, expected) => {
    expect(parseCall(text, tools)).toContain(expected);
  });
});
