import { describe, expect, it } from 'vitest';
import type { Json } from '../../../adapters/adapter.ts';
import { normalPersonId } from '../../../adapters/whatsapp/jid.ts';
import { createKeyRing } from '../../../adapters/whatsapp/keys.ts';
import { createPeople } from '../../../adapters/whatsapp/people.ts';
import { createTestHost } from '../host.ts';

const PHONE = '49151222@s.whatsapp.net';
const LID = '9001@lid';

function known(kept = new Map<string, Json>()) {
  const { store } = createTestHost(kept);
  const people = createPeople(store);
  const remember = (): void => {
    store.put(people.learnt());
    people.stored();
  };
  return { kept, store, people, remember };
}

describe('one person with two addresses', () => {
  it('is known by the number, where a message tells both', () => {
    const { people } = known();
    expect(people.join(`49151222:3@s.whatsapp.net`, LID)).toEqual({ id: '49151222', aliases: [LID], jid: PHONE });
    expect(people.join(LID)).toEqual({ id: '49151222', aliases: [LID], jid: PHONE });
  });

  it('keeps the address that was seen first when the other is learnt, so that the conversation goes on', () => {
    const { people, remember, kept } = known();
    expect(people.join(LID)).toEqual({ id: LID, aliases: [], jid: LID });
    remember();
    expect(people.join(PHONE, LID)).toEqual({ id: LID, aliases: ['49151222'], jid: LID });
    remember();
    const later = known(kept).people;
    expect(later.join(PHONE)).toMatchObject({ id: LID, jid: LID });
  });

  it('is found in what the client library knows, also when a message tells one address only', () => {
    const { people, store } = known();
    createKeyRing(store).set({ 'lid-mapping': { '49151222': '9001', '9001_reverse': '49151222' } });
    expect(people.join(LID)).toEqual({ id: '49151222', aliases: [LID], jid: PHONE });
    expect(people.join(PHONE)).toEqual({ id: '49151222', aliases: [LID], jid: PHONE });
  });

  it('stays the same when the link is made anew and what the library knew is gone', () => {
    const { people, store, remember, kept } = known();
    createKeyRing(store).set({ 'lid-mapping': { '9001_reverse': '49151222' } });
    people.join(LID);
    remember();
    createKeyRing(store).clear();
    expect(known(kept).people.join(LID)).toMatchObject({ id: '49151222', jid: PHONE });
  });

  it('goes by the number when both were seen before anybody knew that they are one', () => {
    const { people, remember } = known();
    people.join(LID);
    people.join(PHONE);
    remember();
    expect(people.join(LID, PHONE)).toMatchObject({ id: '49151222', aliases: [LID] });
    remember();
    expect(people.join(LID)).toMatchObject({ id: '49151222' });
  });

  it('who has a new number is written to under the new one', () => {
    const { people, remember } = known();
    people.join(LID, PHONE);
    remember();
    const moved = '4917000@s.whatsapp.net';
    expect(people.join(LID, moved)).toEqual({ id: '4917000', aliases: [LID], jid: moved });
    remember();
    expect(people.join(LID)).toMatchObject({ id: '4917000', jid: moved });
  });

  it('is not whoever has the number now: who got it later is somebody else', () => {
    const { people, remember, store } = known();
    people.join(LID);
    people.join(PHONE, LID);
    remember();
    expect(people.join('9002@lid', PHONE)).toEqual({ id: '49151222', aliases: ['9002@lid'], jid: PHONE });
    // What the library knew of the number is older than what it knows of the person.
    createKeyRing(store).set({ 'lid-mapping': { '49151333': '9003', '9003_reverse': '4917000' } });
    expect(people.join('49151333@s.whatsapp.net')).toEqual({ id: '49151333', aliases: [], jid: '49151333@s.whatsapp.net' });
  });
});

describe('a person in the configuration', () => {
  it.each([
    ['+49 151 / 234-567', '49151234567'],
    ['0049151234567', '49151234567'],
    ['49151234567@s.whatsapp.net', '49151234567'],
    ['49151234567:12@s.whatsapp.net', '49151234567'],
    ['9001@lid', '9001@lid'],
    ['*', '*'],
    ['Ann', undefined],
    ['@ann', undefined],
  ])('%j is %j', (written, id) => {
    expect(normalPersonId(written)).toBe(id);
  });
});
