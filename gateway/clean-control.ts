/** What the control surface tells, without secrets: sentences about failures and questions about calls come from elsewhere. */
import { cleanValue, type Redact } from './secrets.ts';
import type { ControlHandlers } from './status.ts';

/** What is a secret by nature (a sign-in link, a code) is told as it is: whoever asks has signed in. */
export function cleanControl(handlers: ControlHandlers, redact: Redact): ControlHandlers {
  const clean = <T>(told: T): T => cleanValue(told, redact) as T; // texts stay texts
  const { links } = handlers;
  return {
    ...handlers,
    status: () => clean(handlers.status()),
    ready: () => clean(handlers.ready()),
    asks: () => clean(handlers.asks()),
    answerAsk: (id, choice) => clean(handlers.answerAsk(id, choice)),
    ...(links === undefined
      ? {}
      : { links: { ...links, all: () => links.all().map(({ offer, ...told }) => ({ ...clean(told), ...(offer && { offer }) })) } }),
  };
}
