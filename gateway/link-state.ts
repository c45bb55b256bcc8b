/** What is told and asked about accounts that are a person's phone. */
import type { AdapterState } from '../adapters/adapter.ts';
import type { LinkOffer } from '../adapters/linking.ts';

export interface LinkPlace {
  readonly platform: string;
  readonly account: string;
}

export interface LinkState extends LinkPlace {
  /** What people call the platform. */
  readonly label: string;
  readonly state: AdapterState | 'stopped';
  readonly detail?: string;
  readonly offer?: LinkOffer;
  /** Why there is no pairing code although one was asked for. */
  readonly problem?: string;
}

/** `false`: there is no such account, or it needs no linking. */
export interface Links {
  all(): readonly LinkState[];
  /** The owner has read the warning. An account that was stopped because its link was gone runs again. */
  accept(place: LinkPlace): boolean;
  /** The code comes as an offer. */
  code(place: LinkPlace, phone: string): boolean;
}
