/** The contract of every mailbox implementation. */
import { expect, test } from 'vitest'
import type { Mailbox } from '../../../../runtime/ports/ports.ts'
import { sampleMailboxMessage } from './sample-messages.ts'

/** Each call of `create` makes an empty store. The returned function opens the store, as a restarted program does. */
export function testMailbox(create: () => Promise<() => Mailbox>): void {
  const idsIn = async (mailbox: Mailbox, name = 'scout') => {
    const taken = await mailbox.take(name)
    return taken.ok ? taken.value.map(({ messageId }) => messageId) : taken.failure
  }

  test('a message is delivered unchanged', async () => {
    const mailbox = (await create())()
    const message = sampleMailboxMessage('m-1', {
      sender: null,
      content: [
        { type: 'text', text: 'Zeile\n\u0000 “ü” 🎭 \ud800 {"sum":"00000000"}' },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } },
        { type: 'text', text: '' },
      ],
    })
    expect(await mailbox.put(message)).toEqual({ ok: true, value: undefined })
    expect(await mailbox.take('scout')).toEqual({ ok: true, value: [message] })
  })

  test('an unused name has no messages', async () => {
    expect(await idsIn((await create())())).toEqual([])
  })

  test('messages are sorted by time, then by id', async () => {
    const mailbox = (await create())()
    for (const [id, at] of [
      ['m-c', 5],
      ['m-b', 5],
      ['m-a', 30],
      ['m-d', 4.5],
      ['m-e', 200],
    ] as const)
      await mailbox.put(sampleMailboxMessage(id, { at }))
    expect(await idsIn(mailbox)).toEqual(['m-d', 'm-b', 'm-c', 'm-a', 'm-e'])
  })

  test('a message is delivered until it is confirmed', async () => {
    const mailbox = (await create())()
    for (const id of ['m-1', 'm-2', 'm-3']) await mailbox.put(sampleMailboxMessage(id))
    expect(await idsIn(mailbox)).toEqual(['m-1', 'm-2', 'm-3'])
    await mailbox.put(sampleMailboxMessage('m-4'))
    await mailbox.done('scout', ['m-2'])
    expect(await idsIn(mailbox)).toEqual(['m-1', 'm-3', 'm-4'])
    await mailbox.done('scout', ['m-4', 'm-3', 'm-1'])
    expect(await idsIn(mailbox)).toEqual([])
  })

  test('a message can be confirmed before it was taken', async () => {
    const mailbox = (await create())()
    await mailbox.put(sampleMailboxMessage('m-1'))
    await mailbox.done('scout', ['m-1'])
    expect(await idsIn(mailbox)).toEqual([])
  })

  test('confirming a missing message has no effect', async () => {
    const mailbox = (await create())()
    await mailbox.put(sampleMailboxMessage('m-1'))
    await mailbox.done('scout', ['m-2'])
    await mailbox.done('nobody', ['m-1'])
    await mailbox.done('../scout/..', ['m-1'])
    expect(await idsIn(mailbox)).toEqual(['m-1'])
  })

  test('a message that is put twice is delivered once, before and after it was taken', async () => {
    const mailbox = (await create())()
    await mailbox.put(sampleMailboxMessage('m-1'))
    await mailbox.put(sampleMailboxMessage('m-1'))
    expect(await idsIn(mailbox)).toEqual(['m-1'])
    await mailbox.put(sampleMailboxMessage('m-1'))
    expect(await idsIn(mailbox)).toEqual(['m-1'])
  })

  test('unconfirmed messages survive a restart, taken or not', async () => {
    const open = await create()
    const first = open()
    await first.put(sampleMailboxMessage('m-1'))
    expect(await idsIn(first)).toEqual(['m-1'])
    await first.put(sampleMailboxMessage('m-2'))
    expect(await idsIn(open())).toEqual(['m-1', 'm-2'])
  })

  test('messages that are put concurrently are all delivered', async () => {
    const mailbox = (await create())()
    const ids = Array.from({ length: 60 }, (_, index) => `m-${String(index).padStart(2, '0')}`)
    const put = await Promise.all(ids.map((id) => mailbox.put(sampleMailboxMessage(id))))
    expect(put.filter(({ ok }) => !ok)).toEqual([])
    expect(await idsIn(mailbox)).toEqual(ids)
  })

  test('each name has its own messages, even with equal ids', async () => {
    const mailbox = (await create())()
    const names = ['a', 'b', 'a.b', 'a-b', 'a_b', 'new', 'tmp', '7', 'a..', 'x'.repeat(100)]
    for (const to of names) await mailbox.put(sampleMailboxMessage('m-1', { to }))
    await mailbox.done('a', ['m-1'])
    for (const to of names) expect(await idsIn(mailbox, to), to).toEqual(to === 'a' ? [] : ['m-1'])
  })

  test('names that differ only in case are different', async () => {
    const mailbox = (await create())()
    await mailbox.put(sampleMailboxMessage('m-1', { to: 'Scout' }))
    await mailbox.put(sampleMailboxMessage('m-2', { to: 'scout' }))
    expect(await idsIn(mailbox, 'scout')).toEqual(['m-2'])
    expect(await idsIn(mailbox, 'Scout')).toEqual(['m-1'])
  })

  test.each([
    '',
    '.',
    '..',
    '../up',
    'a/b',
    'a\\b',
    '.hidden',
    '-x',
    '_x',
    'a b',
    'ä',
    'a\n',
    'a\0',
    '*',
    'x'.repeat(101),
  ])('the name %j is refused with the allowed characters', async (name) => {
    const mailbox = (await create())()
    const refused = { type: 'bad-name', message: expect.stringContaining('letters from a to z') }
    expect(await mailbox.put(sampleMailboxMessage('m-1', { to: name }))).toEqual({
      ok: false,
      failure: refused,
    })
    expect(await mailbox.take(name)).toEqual({ ok: false, failure: refused })
  })

  test.each(['M-1', 'm-1.json', '../m', 'a/b', 'm,1-2', '.', '', 'ü🎭', 'x'.repeat(5000), 'm-1.broken'])(
    'the id %j is accepted',
    async (id) => {
      const mailbox = (await create())()
      await mailbox.put(sampleMailboxMessage(`${id}!`))
      await mailbox.put(sampleMailboxMessage(id))
      expect(await idsIn(mailbox)).toEqual(expect.arrayContaining([id, `${id}!`]))
      await mailbox.done('scout', [id])
      expect(await idsIn(mailbox)).toEqual([`${id}!`])
    },
  )

  test('a message of nearly 1 MB is accepted; a larger one is refused with the next step', async () => {
    const mailbox = (await create())()
    const of = (id: string, bytes: number) =>
      sampleMailboxMessage(id, { content: [{ type: 'text', text: 'x'.repeat(bytes) }] })
    expect(await mailbox.put(of('m-1', 1024 * 1024 - 400))).toMatchObject({ ok: true })
    const refused = await mailbox.put(of('m-2', 1024 * 1024))
    expect(refused).toMatchObject({ ok: false, failure: { type: 'too-large' } })
    expect(refused).toMatchObject({
      failure: { message: expect.stringMatching(/at most 1024 kB\. Write it to a file/) },
    })
    // The limit is in bytes, not characters.
    const wide = sampleMailboxMessage('m-3', { content: [{ type: 'text', text: '€'.repeat(400_000) }] })
    expect(await mailbox.put(wide)).toMatchObject({ ok: false, failure: { type: 'too-large' } })
    expect(await idsIn(mailbox)).toEqual(['m-1'])
  })

  test('changes to a message after it was put have no effect', async () => {
    const mailbox = (await create())()
    const content = [{ type: 'text' as const, text: 'before' }]
    await mailbox.put(sampleMailboxMessage('m-1', { content }))
    content.push({ type: 'text', text: 'after' })
    const taken = await mailbox.take('scout')
    expect(taken.ok && taken.value[0]?.content).toEqual([{ type: 'text', text: 'before' }])
  })
}
