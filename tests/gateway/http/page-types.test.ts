import { expectTypeOf, it } from 'vitest';
import type { Done, OpenAsk, PeopleControl, PeopleList, Status } from '../../../gateway/status.ts';
import type * as page from '../../../gateway/web/api.ts';
import type * as people from '../../../gateway/web/people.ts';

/** The page is compiled for browsers and cannot import the gateway's own types, which know Node. */
it('what the page reads of the control API is what the gateway answers (checked by the compiler)', () => {
  expectTypeOf<page.OpenAsk>().toEqualTypeOf<OpenAsk>();
  expectTypeOf<people.PeopleList>().toEqualTypeOf<PeopleList>();
  expectTypeOf<people.Outcome>().toEqualTypeOf<Done>();
  expectTypeOf<people.Approval['role']>().toEqualTypeOf<NonNullable<Parameters<PeopleControl['approve']>[2]>>();
  expectTypeOf<Status>().toExtend<page.GatewayStatus>();
});
