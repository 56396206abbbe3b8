/** The server itself refuses an older worker, even one that believes that it still has the lease. */
import { expect, test } from 'vitest'
import { startNatsServer, withNats } from '../testing/nats-server.ts'
import { storedReports } from './report-message.ts'
import { createReportWriter } from './report-writer.ts'
import { openStore } from './testing/job-fixture.ts'

const address = { sender: 's', agentId: 'a-1' }

const content = (text: string) => ({
  type: 'mail' as const,
  message: { messageId: text, to: 'a-2', sender: 'a-1', content: [], at: 1 },
})

withNats('reports', () => {
  test('what an older worker writes after a newer one is refused, and it learns that it is overtaken', async () => {
    const { url } = await startNatsServer()
    const store = await openStore(url)
    let overtaken = 0
    const writerOf = (epoch: number) =>
      createReportWriter({
        store,
        job: { ...address, jobId: 'j-1', epoch },
        last: 0,
        onTrouble: () => {},
        // This lease is never lost: only the server can tell.
        lease: { lost: new AbortController().signal, isHeld: async () => true },
        onOvertaken: () => overtaken++,
      })
    const [older, newer] = [writerOf(1), writerOf(2)]
    expect(await older.write(content('first'))).toBe(true)
    expect(await newer.write(content('second'))).toBe(true)
    expect(await older.write(content('late'))).toBe(false)
    expect(await older.write(content('later'))).toBe(false)
    expect(overtaken).toBe(1)
    expect(await newer.write(content('third'))).toBe(true)
    const stored = await storedReports(address, store)
    expect(stored.map((report) => report.type === 'mail' && report.message.messageId)).toEqual([
      'first',
      'second',
      'third',
    ])
  })
})
