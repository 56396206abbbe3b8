/** Mailboxes on a real disk: the contract of every mailbox, and the handling of files that are not messages. */
import {
  chmod,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tempFolder } from '../../../platform/transcripts/testing/temp-folder.ts'
import { createMaildirMailbox, type MaildirOptions } from './maildir-mailbox.ts'
import { testMailbox } from './testing/mailbox-contract.ts'
import { sampleMailboxMessage } from './testing/sample-messages.ts'

describe('a mailbox on disk', () => {
  testMailbox(async () => {
    const folder = await tempFolder()
    const problems: string[] = []
    return () => createMaildirMailbox({ folder, onProblem: (problem) => problems.push(problem) })
  })
})

async function openMailbox(more: Partial<MaildirOptions> = {}) {
  const folder = await tempFolder()
  const problems: string[] = []
  const mailbox = createMaildirMailbox({ folder, onProblem: (problem) => problems.push(problem), ...more })
  const location = (...parts: string[]) => join(folder, 'scout', ...parts)
  const ids = async () => {
    const taken = await mailbox.take('scout')
    if (!taken.ok) throw new Error(taken.failure.message)
    return taken.value.map(({ messageId }) => messageId)
  }
  return { folder, problems, mailbox, location, ids }
}

describe('a watch', () => {
  test('is told of messages that were there, and of messages from another process, until it stops', async () => {
    const { folder, mailbox, location } = await openMailbox()
    const other = createMaildirMailbox({ folder })
    let tell = () => {}
    const told = () =>
      new Promise<void>((resolve) => {
        tell = resolve
      })
    let times = 0
    const first = told()
    const stop = mailbox.watch?.('scout', () => {
      times++
      tell()
    })
    await first
    const second = told()
    await other.put(sampleMailboxMessage('m-1'))
    await second
    expect(await readdir(location('new'))).toEqual(['m-1.json'])
    stop?.()
    const before = times
    await other.put(sampleMailboxMessage('m-2'))
    await new Promise((resolve) => setImmediate(resolve))
    expect(times).toBe(before)
    // A name that is no mailbox is watched by nobody.
    mailbox.watch?.('../x', () => {})?.()
    expect(await readdir(folder)).toEqual(['scout'])
  })
})

describe('mailbox files', () => {
  test('move from new to cur, and only their owner can read them', async () => {
    const { mailbox, location, ids } = await openMailbox()
    await mailbox.put(sampleMailboxMessage('m-1'))
    expect(await readdir(location('tmp'))).toEqual([])
    expect(await readdir(location('new'))).toEqual(['m-1.json'])
    expect((await stat(location('new', 'm-1.json'))).mode & 0o777).toBe(0o600)
    expect((await stat(location())).mode & 0o777).toBe(0o700)
    await ids()
    expect(await readdir(location('new'))).toEqual([])
    expect(await readdir(location('cur'))).toEqual([expect.stringMatching(`^m-1\\.json,${process.pid}-`)])
    await mailbox.done('scout', ['m-1'])
    expect(await readdir(location('cur'))).toEqual([])
  })

  test('are read without creating folders', async () => {
    const { folder, ids } = await openMailbox()
    await ids()
    expect(await readdir(folder)).toEqual([])
  })

  test('that are broken are set aside, reported once and hide no other message', async () => {
    const { mailbox, location, ids, problems } = await openMailbox()
    for (const id of ['m-1', 'm-2', 'm-3', 'm-4', 'm-5', 'm-6', 'm-7'])
      await mailbox.put(sampleMailboxMessage(id))
    const line = await readFile(location('new', 'm-2.json'), 'utf8')
    await writeFile(location('new', 'm-2.json'), line.slice(0, -20))
    const altered = (await readFile(location('new', 'm-3.json'), 'utf8')).replace('The words', 'Two words')
    await writeFile(location('new', 'm-3.json'), altered)
    await writeFile(location('new', 'm-4.json'), '')
    await writeFile(location('new', 'm-5.json'), 'x'.repeat(1024 * 1024 + 1))
    // Complete, but the content of another message.
    await writeFile(location('new', 'm-6.json'), line)
    await mkdir(location('new', 'folder.json'))
    await symlink('/etc/passwd', location('new', 'link.json'))
    expect(await ids()).toEqual(['m-1', 'm-7'])
    expect(problems).toHaveLength(7)
    expect(problems.join('\n')).toMatch(/set aside as .*m-2\.json.*\.broken; other messages are not affected/)
    expect(await readFile('/etc/passwd', 'utf8')).not.toBe('')
    expect(await ids()).toEqual(['m-1', 'm-7'])
    expect(problems).toHaveLength(7)
    const aside = (await readdir(location('cur'))).filter((name) => name.endsWith('.broken'))
    expect(aside).toHaveLength(7)
    expect(
      await readFile(location('cur', aside.find((name) => name.startsWith('m-3')) ?? ''), 'utf8'),
    ).toContain('Two words')
  })

  test('that are truncated are never delivered', async () => {
    const { mailbox, location, ids } = await openMailbox()
    await mailbox.put(sampleMailboxMessage('m-1'))
    const whole = await readFile(location('new', 'm-1.json'))
    for (let length = 0; length < whole.length; length++) {
      await writeFile(location('new', 'm-1.json'), whole.subarray(0, length))
      expect(await ids(), `${length} bytes`).toEqual([])
    }
  })

  test('that were moved from another mailbox are not delivered', async () => {
    const { mailbox, folder, location, ids, problems } = await openMailbox()
    await mailbox.put(sampleMailboxMessage('m-1'))
    await mailbox.put(sampleMailboxMessage('m-2', { to: 'other' }))
    await rename(join(folder, 'other/new/m-2.json'), location('new', 'm-2.json'))
    expect(await ids()).toEqual(['m-1'])
    expect(problems).toEqual([expect.stringContaining('is addressed to "other"')])
  })

  test('that are not messages stay untouched', async () => {
    const { mailbox, location, ids, problems } = await openMailbox()
    await mailbox.put(sampleMailboxMessage('m-1'))
    for (const name of ['.DS_Store', 'notes.txt', 'Thumbs.db']) await writeFile(location('new', name), 'x')
    expect(await ids()).toEqual(['m-1'])
    expect((await readdir(location('new'))).sort()).toEqual(['.DS_Store', 'Thumbs.db', 'notes.txt'])
    expect(problems).toEqual([])
  })

  test('that are old drafts are removed, and recent drafts stay', async () => {
    const { mailbox, location, ids } = await openMailbox()
    await mailbox.put(sampleMailboxMessage('m-1'))
    for (const name of ['old', 'young']) await writeFile(location('tmp', name), 'half a let')
    const hour = 60 * 60 * 1000
    const ago = (ms: number) => new Date(Date.now() - ms)
    await utimes(location('tmp', 'old'), ago(25 * hour), ago(25 * hour))
    await utimes(location('tmp', 'young'), ago(23 * hour), ago(23 * hour))
    expect(await ids()).toEqual(['m-1'])
    expect(await readdir(location('tmp'))).toEqual(['young'])
  })

  test('are read even if cur was removed', async () => {
    const { mailbox, location, ids } = await openMailbox()
    await mailbox.put(sampleMailboxMessage('m-1'))
    await rename(location('cur'), location('gone'))
    expect(await ids()).toEqual(['m-1'])
  })
})

describe('the list of mailboxes', () => {
  test('has the names with messages that nobody has taken, and their numbers', async () => {
    const { folder, mailbox } = await openMailbox()
    expect(await mailbox.list?.()).toEqual({ ok: true, value: [] })
    for (const id of ['m-1', 'm-2']) await mailbox.put(sampleMailboxMessage(id))
    await mailbox.put(sampleMailboxMessage('m-3', { to: 'other' }))
    await mailbox.put(sampleMailboxMessage('m-4', { to: 'taken' }))
    await mailbox.take('taken')
    await mkdir(join(folder, '.hidden', 'new'), { recursive: true })
    await writeFile(join(folder, 'notes.txt'), '')
    expect(await mailbox.list?.()).toEqual({
      ok: true,
      value: [
        { name: 'other', waiting: 1 },
        { name: 'scout', waiting: 2 },
      ],
    })
  })

  test('that can’t be read is a failure that says where', async () => {
    const { folder, mailbox } = await openMailbox()
    await mkdir(join(folder, 'scout'))
    await writeFile(join(folder, 'scout', 'new'), '')
    expect(await mailbox.list?.()).toMatchObject({
      ok: false,
      failure: { type: 'io', message: expect.stringContaining(folder) },
    })
  })
})

describe('a failing disk', () => {
  const refusing = (code: string) => ({
    open: async () => {
      throw Object.assign(new Error(`${code}: no`), { code })
    },
  })

  test.each([
    ['ENOSPC', /to scout can’t be put in its mailbox: the disk is full .* Free some space/],
    ['EACCES', /to scout can’t be put in its mailbox: you are not allowed .* Check who owns it/],
    ['EROFS', /the disk is read-only .* Make it writable/],
  ])('%s is reported with a message', async (code, message) => {
    const { mailbox, ids } = await openMailbox(refusing(code))
    const put = await mailbox.put(sampleMailboxMessage('m-1'))
    expect(put).toMatchObject({ ok: false, failure: { type: 'io', message: expect.stringMatching(message) } })
    expect(await ids()).toEqual([])
  })

  test('a failed write leaves no partial message', async () => {
    const full = Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' })
    const { mailbox, location, ids } = await openMailbox({
      open: async (...call) => {
        const handle = await open(...call)
        const datasync = () => Promise.reject(full)
        return Object.assign(handle, { datasync })
      },
    })
    expect(await mailbox.put(sampleMailboxMessage('m-1'))).toMatchObject({ failure: { type: 'io' } })
    expect(await ids()).toEqual([])
    expect(await readdir(location('tmp'))).toEqual([])
  })

  test('a file in place of a folder is reported by put and take', async () => {
    const { mailbox, folder } = await openMailbox()
    await writeFile(join(folder, 'scout'), '')
    const message = expect.stringContaining(folder)
    expect(await mailbox.put(sampleMailboxMessage('m-1'))).toMatchObject({
      failure: { type: 'io', message },
    })
    expect(await mailbox.take('scout')).toMatchObject({ failure: { type: 'io', message } })
    await mailbox.done('scout', ['m-1'])
  })

  test.skipIf(process.getuid?.() === 0)('a folder without write permission is reported', async () => {
    const { mailbox, location } = await openMailbox()
    await mailbox.put(sampleMailboxMessage('m-1'))
    await chmod(location('new'), 0o500)
    expect(await mailbox.put(sampleMailboxMessage('m-2'))).toMatchObject({ failure: { type: 'io' } })
    expect(await mailbox.take('scout')).toMatchObject({ failure: { type: 'io' } })
    await chmod(location('new'), 0o700)
    expect(await mailbox.take('scout')).toMatchObject({ ok: true, value: [{ messageId: 'm-1' }] })
  })
})
