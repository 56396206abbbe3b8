/** The tools for pages and documents in the whole program: nothing of this machine is reached, and PDF documents are read. */

import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import type { Director } from '../../features/rehearsal/director.ts'
import { type RealTroupe, realTroupe } from '../../testing/real-troupe.ts'
import { smallPdf } from '../documents/testing/small-pdf.ts'

let troupe: RealTroupe | null = null
afterEach(async () => {
  await troupe?.close()
  troupe = null
})

test('WebFetch reaches no server of this machine, and Read shows a PDF document', async () => {
  let visits = 0
  const inside = createServer((_, response) => {
    visits++
    response.end('a secret of this machine')
  })
  await new Promise<void>((listening) => inside.listen(0, listening))
  const { port } = inside.address() as AddressInfo
  const calls = [
    ...[
      `http://127.0.0.1:${port}/`,
      `http://localhost:${port}/`,
      `http://[::1]:${port}/`,
      'file:///etc/passwd',
    ].map((url) => ['WebFetch', { url }] as const),
    ['Read', { file_path: 'a.pdf' }] as const,
  ]
  let results: readonly string[] = []
  const director: Director = {
    reply: async ({ messages }) => {
      const last = messages.at(-1)?.content ?? []
      results = last.flatMap((block) => (block.type === 'tool_result' ? [block.text] : []))
      return results.length > 0
        ? { blocks: [{ type: 'text', text: 'Done.' }] }
        : { blocks: calls.map(([name, input]) => ({ type: 'tool_use', name, input })) }
    },
  }
  troupe = await realTroupe(director)
  await writeFile(join(troupe.folder, 'a.pdf'), smallPdf(['Words of the page']))
  await troupe.start(['run', 'Go', '--json', '--permission-mode', 'bypassPermissions']).ended
  inside.close()
  expect(results).toHaveLength(5)
  for (const result of results.slice(0, 3)) expect(result).toContain('is not on the public internet')
  expect(results[3]).toContain('Only http and https addresses are fetched')
  expect(results[4]).toContain('[Page 1]\nWords of the page')
  expect(visits).toBe(0)
})
