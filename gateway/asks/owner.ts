/** The owner answers whatever waits, in whatever chat, on the page or on the machine itself. */
import type { ControlHandlers, OpenAsk } from '../status.ts';
import type { AskRow } from '../store/asks.ts';
import type { Store } from '../store/index.ts';
import type { TurnTarget } from '../target.ts';
import type { Answers } from './answers.ts';
import { choicesOf } from './text.ts';

const owner = { id: 'owner', name: 'The owner' };

export function ownersAsks(store: Store, answers: Pick<Answers, 'decide'>): Pick<ControlHandlers, 'asks' | 'answerAsk'> {
  return {
    asks: () =>
      store.asks
        .open()
        .filter((ask) => !isOffer(ask))
        .map((ask) => shown(store, ask)),
    answerAsk: (id, choice) => {
      const ask = store.asks.get(id);
      if (ask === undefined) return { done: false, text: 'There is no such question.' };
      const answered = store.durable(() => answers.decide(ask, choice, owner));
      answered.after();
      return answered.text === '' ? { done: true, text: 'Done.' } : { done: false, text: answered.text };
    },
  };
}

function shown(store: Pick<Store, 'pairing'>, ask: AskRow): OpenAsk {
  const { id, number, target, body, deadline } = ask;
  const onPage = target.chat.platform === 'web';
  return { id, number, onPage, ...about(store, ask), markdown: body.markdown, choices: choicesOf(body), deadlineAtMs: deadline };
}

/** Beside a stranger's question the owner's own name would say nothing. */
function about({ pairing }: Pick<Store, 'pairing'>, { target, requester, body }: AskRow) {
  if (body.kind !== 'pairing') return { ...placeOf(target), person: requester.name };
  const request = pairing.pending(0).find(({ id }) => id === body.request);
  return { ...placeOf({ chat: body.chat, chatType: 'dm' }), person: request?.name || request?.person || 'Somebody' };
}

function placeOf({ chat: { platform, chat }, chatType }: TurnTarget) {
  return { platform, chat, chatType };
}

/** An offer to whoever wrote: nothing waits for its answer. */
function isOffer({ body }: AskRow): boolean {
  return body.kind === 'interrupt';
}
