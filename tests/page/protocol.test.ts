import { describe, expect, expectTypeOf, it } from 'vitest';
import type { ClientFrame, ServerFrame } from '../../adapters/web/codec.ts';
import { isChatId } from '../../adapters/web/codec.ts';
import type { OpenAsk, Status } from '../../gateway/status.ts';
import type * as api from '../../gateway/web/api.ts';
import * as page from '../../gateway/web/protocol.ts';

describe('the frames of the page', () => {
  it('are what the adapter speaks (checked by the compiler)', () => {
    expectTypeOf<page.ServerFrame>().toEqualTypeOf<ServerFrame>();
    expectTypeOf<page.ClientFrame>().toExtend<ClientFrame>();
    expectTypeOf<ClientFrame>().toExtend<page.ClientFrame>();
  });

  it('are not all: what the control API tells is what the page reads (checked by the compiler)', () => {
    expectTypeOf<Status>().toExtend<api.GatewayStatus>();
    expectTypeOf<OpenAsk>().toEqualTypeOf<api.OpenAsk>();
  });

  it.each(['main', 'a1b2c3d4e5f6', 'x', '', '../main', 'a'.repeat(33), 'ABCDEFABCDEF', '__proto__', 'constructor'])(
    'name the chat %j or both refuse it',
    (chat) => {
      expect(page.isChatId(chat)).toBe(isChatId(chat));
    },
  );
});
