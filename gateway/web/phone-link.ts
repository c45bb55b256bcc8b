/** What the gateway tells of an account that is a person's phone. */
export type LinkOffer =
  | { readonly type: 'warning'; readonly text: string }
  | { readonly type: 'qr'; readonly rows: readonly string[]; readonly expiresAtMs: number }
  | { readonly type: 'code'; readonly code: string; readonly expiresAtMs: number };

export interface PhoneLink {
  readonly platform: string;
  readonly account: string;
  readonly label: string;
  readonly state: string;
  readonly offer?: LinkOffer;
  readonly problem?: string;
}
