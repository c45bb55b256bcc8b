/** The owner answers whatever waits, in whatever chat, on the page or on the machine itself. */
import type { ControlHandlers, OpenAsk } from '../status.ts';
import type { AskRow } from '../store/asks.ts';
import type { Store } from '../store/index.ts';
import type { Answers } from './answers.ts';
import { choicesOf } from './text.ts';

const owner = { id: 'owner', name: 'The owner' };

export function ownersAsks(store: Store, answers: Answers): Pick<ControlHandlers, 'asks' | 'answerAsk'> {
  return {
    asks: () => store.asks.open().map(shown),
    answerAsk: (id, choice) => {
      const ask = store.asks.get(id);
      if (ask === undefined) return { done: false, text: 'There is no such question.' };
      const answered = store.durable(() => answers.decide(ask, choice, owner));
      answered.after();
      return answered.text === '' ? { done: true, text: 'Done.' } : { done: false, text: answered.text };
    },
  };
}

function shown({ id, number, target, requester, body, deadline }: AskRow): OpenAsk {
  const { chatType } = target;
  const { platform, chat } = target.chat;
  const where = { platform, chat, chatType, person: requester.name };
  return { id, number, ...where, markdown: body.markdown, choices: choicesOf(body), deadlineAtMs: deadline };
}
