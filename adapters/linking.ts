/** How an account that is a person's phone is linked with us: a part of the contract in adapter.ts. */

/** What the owner has to do so that the account works. */
export type LinkOffer =
  /** To be read and agreed to, once. */
  | { readonly type: 'warning'; readonly text: string }
  /** To be scanned with the phone. `qr` is the content of the code. */
  | { readonly type: 'qr'; readonly qr: string; readonly expiresAtMs: number }
  /** To be typed into the phone. */
  | { readonly type: 'code'; readonly code: string; readonly expiresAtMs: number };

/** Of platforms whose account is a person's phone: how that phone is linked with us. The owner alone uses it. */
export interface Linking {
  /** Undefined: nothing to do at the moment. */
  offer(): LinkOffer | undefined;
  /** The owner has read the warning and goes on. Durable. */
  accept(): void;
  /** Instead of scanning: a code for the phone with this number (digits with the country code). Rejects with a sentence for the owner. */
  code(phone: string, signal: AbortSignal): Promise<string>;
}
