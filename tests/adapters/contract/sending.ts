import { expect, it } from 'vitest';
import { type Bench, patience } from './bench.ts';

export function sending(bench: Bench): void {
  it('sends a text and answers with a reference', async () => {
    const { rig } = bench;
    const ref = await bench.send('**Hello** you');
    expect(ref.chat).toEqual(rig.chat);
    expect(ref.id).not.toBe('');
    expect(JSON.parse(JSON.stringify(ref))).toEqual(ref);
    expect(rig.visible().at(-1)).toContain('Hello');
  });

  it('answers the very message that it is told to answer', async () => {
    const { rig } = bench;
    const said = ['one', 'two', 'three'].map((text) => rig.say(text));
    await bench.heard(3);
    for (const index of [1, 0, 2]) {
      const event = rig.host.received[index];
      if (event?.type !== 'message') throw new Error(`expected a message, but it is ${JSON.stringify(event)}`);
      const replyTo = event.message;
      for (const message of [bench.text('the answer'), bench.ask()]) {
        await rig.adapter.send({ ...message, replyTo }, `${index} ${message.type}`, patience());
        if (rig.answered !== undefined) expect(rig.answered()).toBe(said[index]);
      }
    }
    expect(rig.visible()).toHaveLength(6);
  });

  it('edits what it sent', async () => {
    const { rig } = bench;
    const ref = await bench.send('first');
    await rig.adapter.edit?.(ref, bench.text('second'), patience());
    if (rig.adapter.edit !== undefined) expect(rig.visible()).toEqual(['second']);
  });

  it('takes an edit that changes nothing as done', async () => {
    const { rig } = bench;
    const ref = await bench.send('same');
    await rig.adapter.edit?.(ref, bench.text('same'), patience());
    expect(rig.visible()).toEqual(['same']);
  });

  it('deletes what it sent, also when it is gone already', async () => {
    const { rig } = bench;
    if (rig.adapter.delete === undefined) return;
    const ref = await bench.send('away');
    await rig.adapter.delete(ref, patience());
    expect(rig.visible()).toEqual([]);
    await rig.adapter.delete(ref, patience());
  });

  it('rejects with the reason of a signal that is aborted already, and sends nothing', async () => {
    const { rig } = bench;
    const reason = new Error('not any more');
    await expect(rig.adapter.send(bench.text('late'), 'key', AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(rig.visible()).toEqual([]);
  });

  it('tells a rate limit with the pause that was asked for', async () => {
    const { faults } = bench.rig;
    if (faults.rateLimit === undefined) return;
    faults.rateLimit();
    expect(await bench.failure(bench.send('slow'))).toMatchObject({ kind: 'rate_limited', certain: true, retryAfterMs: 7000 });
  });

  it('tells refused formatting apart, because plain text may work', async () => {
    const { faults } = bench.rig;
    if (faults.refuseFormatting === undefined) return;
    faults.refuseFormatting();
    expect(await bench.failure(bench.send('**x**'))).toMatchObject({ kind: 'rejected', certain: true, formatting: true });
  });

  it('rejects for good what will never work', async () => {
    const { faults } = bench.rig;
    for (const fault of [faults.refuseAsTooLong, faults.blockBot]) {
      if (fault === undefined) continue;
      fault();
      expect(await bench.failure(bench.send('never'))).toMatchObject({ kind: 'rejected', certain: true, formatting: false });
    }
  });

  it('does not claim to know what became of a message when the connection broke before the answer', async () => {
    const { faults } = bench.rig;
    if (faults.acceptThenDrop === undefined) return;
    faults.acceptThenDrop();
    expect(await bench.failure(bench.send('maybe'))).toMatchObject({ kind: 'transient', certain: false });
  });

  it("takes the platform's own failure as passing", async () => {
    const { faults, visible } = bench.rig;
    if (faults.serverError === undefined) return;
    faults.serverError();
    expect(await bench.failure(bench.send('again'))).toMatchObject({ kind: 'transient' });
    await bench.send('again');
    expect(visible()).toEqual(['again']);
  });

  it('gives up a call that hangs as soon as it is told to', async () => {
    const { adapter, faults } = bench.rig;
    if (faults.hang === undefined) return;
    faults.hang();
    const reason = new Error('the turn was stopped');
    const stop = new AbortController();
    const attempt = adapter.send(bench.text('stuck'), 'key', stop.signal);
    setTimeout(() => stop.abort(reason), 50);
    await expect(attempt).rejects.toBe(reason);
  });
}
