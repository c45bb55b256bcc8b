import { describe, expect, it } from 'vitest';
import { resolveCall } from '../../agent/arguments.ts';
import type { Question, QuestionAnswer } from '../../agent/ask.ts';
import type { ToolContext } from '../../agent/tool.ts';
import { toolSpec } from '../../agent/tool-spec.ts';
import { createClarify } from '../../tools/clarify.ts';

const tool = createClarify();

async function asked(args: object, answer: QuestionAnswer = { answered: true, text: 'blue' }) {
  const questions: Question[] = [];
  const ctx: ToolContext = {
    signal: new AbortController().signal,
    session: { id: 's', workspace: '/workspace' },
    progress: () => undefined,
    child: () => undefined,
    ask: async (question) => {
      questions.push(question);
      return answer;
    },
  };
  const { content, failed } = await tool.run(tool.args.parse(args), ctx);
  return { questions, content, failed };
}

function problem(args: object): string | undefined {
  const resolved = resolveCall({ id: 'c', name: 'clarify', arguments: JSON.stringify(args) }, [tool]);
  return resolved.ok ? undefined : resolved.problem;
}

describe('clarify', () => {
  it('waits as long as it is told to, and else as long as is usual', async () => {
    expect((await asked({ question: 'Which?', timeout: 30 })).questions).toMatchObject([{ timeoutMs: 30_000 }]);
    expect((await asked({ question: 'Which?' })).questions[0]).not.toHaveProperty('timeoutMs');
    expect(problem({ question: 'Which?', timeout: 1 })).toMatch(/timeout/);
  });

  it('asks the person what it was given and answers with their words as they are', async () => {
    const said = 'blue, "dark"\nif there is any';
    const { questions, content, failed } = await asked(
      { question: ' Which colour? ', choices: ['red', ' blue '], allow_freetext: false },
      { answered: true, text: said },
    );
    expect(questions).toEqual([{ question: 'Which colour?', choices: ['red', 'blue'], allowFreetext: false }]);
    expect(content).toBe(`The person answered:\n${said}`);
    expect(failed).toBeUndefined();
  });

  it('asks an open question, and takes free words beside choices unless told otherwise', async () => {
    const { questions } = await asked({ question: 'Why?' });
    expect(questions).toEqual([{ question: 'Why?', choices: [], allowFreetext: true }]);
  });

  it('says that there is no answer, and what to do then, in words that nobody takes for an answer', async () => {
    const { content } = await asked({ question: 'Why?' }, { answered: false, reason: 'Nobody answered in time. Decide yourself or stop.' });
    expect(content).toBe('No answer. Nobody answered in time. Decide yourself or stop.');
  });

  it.each([
    ['no question', { question: ' \n' }, /question/],
    ['a question that no card holds', { question: 'x'.repeat(2001) }, /question/],
    ['an empty choice', { question: 'Which?', choices: ['red', ' '] }, /choices\.1/],
    ['a choice that no card holds', { question: 'Which?', choices: ['x'.repeat(201)] }, /choices\.0/],
    ['seven choices', { question: 'Which?', choices: ['1', '2', '3', '4', '5', '6', '7'] }, /choices/],
    ['two choices that an answer could not tell apart', { question: 'Which?', choices: ['Red', 'red '] }, /choices.*differ/],
  ])('does not ask with %s, and says why', (_what, args, why) => {
    expect(problem(args)).toMatch(why);
  });

  it('asks with six choices of full length', () => {
    expect(problem({ question: 'Which?', choices: ['a', 'b', 'c', 'd', 'e', 'f'].map((letter) => letter.repeat(200)) })).toBeUndefined();
  });

  it('goes on after a crash instead of being lost, runs beside no other call, and is no risk', () => {
    expect(tool).toMatchObject({ resumable: true, effect: 'external' });
    expect(tool.risk).toBeUndefined();
  });

  it('is described to models with its limits, and says that it is not for permission', () => {
    const { parameters, description } = toolSpec(tool);
    expect(parameters).toMatchObject({ required: ['question'], properties: { choices: { maxItems: 6 }, question: { maxLength: 2000 } } });
    expect(description).toMatch(/permission to run a command.*asked about by itself/);
  });

  it('is shown in one short line', () => {
    const preview = tool.preview({ question: `Which\nof ${'them '.repeat(50)}`, choices: [], allow_freetext: true });
    expect(preview).toMatch(/^Which of them .*…$/);
    expect(preview.length).toBeLessThanOrEqual(80);
  });
});
