import { expectTypeOf, it } from 'vitest';
import type { OpenAsk, Status } from '../../../gateway/status.ts';
import type * as page from '../../../gateway/web/api.ts';

/** The page is compiled for browsers and cannot import the gateway's own types, which know Node. */
it('what the page reads of the control API is what the gateway answers (checked by the compiler)', () => {
  expectTypeOf<page.OpenAsk>().toEqualTypeOf<OpenAsk>();
  expectTypeOf<Status>().toExtend<page.GatewayStatus>();
});
