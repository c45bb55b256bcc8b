/** The control API of linking a phone: the same for the page and for `hermes whatsapp link`. */
import { z } from 'zod';
import type { LinkOffer } from '../../adapters/linking.ts';
import type { LinkState, Links } from '../link-state.ts';
import type { ControlAnswer, ControlRequest, ControlRoute } from './control-route.ts';
import { qrRows } from './qr.ts';

export function linkRoutes(links: Links): readonly ControlRoute[] {
  return [
    { method: 'GET', path: '/api/links', public: false, answer: () => ({ status: 200, body: { links: links.all().map(shown) } }) },
    { method: 'POST', path: '/api/links/:platform/:account/accept', public: false, answer: (request) => accept(links, request) },
    { method: 'POST', path: '/api/links/:platform/:account/code/:phone', public: false, answer: (request) => code(links, request) },
  ];
}

/** A code to scan goes out as its squares. The text in it is what a phone would read, and nothing else needs it. */
function shown({ offer, ...state }: LinkState): object {
  return offer === undefined ? state : { ...state, offer: shownOffer(offer) };
}

function shownOffer(offer: LinkOffer): object {
  if (offer.type !== 'qr') return offer;
  const { qr, ...rest } = offer;
  return { ...rest, rows: qrRows(qr) };
}

const place = z.object({ platform: z.string(), account: z.string() });
const phone = z.string().regex(/^\d{7,15}$/);

function accept(links: Links, { params }: ControlRequest): ControlAnswer {
  return links.accept(place.parse(params)) ? { status: 200, body: { accepted: true } } : unknown();
}

function code(links: Links, { params }: ControlRequest): ControlAnswer {
  const digits = phone.safeParse(params['phone']).data;
  if (digits === undefined)
    return { status: 400, body: { error: 'A telephone number is its digits with the country code: 4915123456789.' } };
  return links.code(place.parse(params), digits) ? { status: 202, body: { asked: true } } : unknown();
}

function unknown(): ControlAnswer {
  return { status: 404, body: { error: 'There is no such account that a phone could be linked with; it may not be switched on.' } };
}
