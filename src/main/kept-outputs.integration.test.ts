/** A long result is kept in a file, which its agent pages through without a permission request. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import type { Director, ScriptedRequest } from './features/rehearsal/director.ts'
import { type RealTroupe, realTroupe } from './testing/real-troupe.ts'

let troupe: RealTroupe | null = null
afterEach(async () => {
  await troupe?.close()
  troupe = null
})

/** The text of the last tool result. */
function lastResult({ messages }: ScriptedRequest): string {
  const block = messages.at(-1)?.content.find(({ type }) => type === 'tool_result')
  return block?.type === 'tool_result' ? block.text : ''
}

test('the result names the file, and Read shows the omitted part', async () => {
  const results: string[] = []
  const director: Director = {
    reply: async (request) => {
      const turn = request.messages.filter(({ role }) => role === 'assistant').length
      if (turn > 0) results.push(lastResult(request))
      const path = /Read \(file_path "(\S+\.txt)"/.exec(results[0] ?? '')?.[1]
      if (turn === 0)
        return {
          blocks: [
            {
              type: 'tool_use',
              name: 'Grep',
              input: { pattern: 'line', path: 'big.txt', output_mode: 'content', head_limit: 0 },
            },
          ],
        }
      if (turn === 1)
        return {
          blocks: [{ type: 'tool_use', name: 'Read', input: { file_path: path, offset: 3000, limit: 1 } }],
        }
      return { blocks: [{ type: 'text', text: 'Done.' }] }
    },
  }
  troupe = await realTroupe(director)
  const lines = Array.from({ length: 6000 }, (_, index) => `line ${index + 1}`)
  await writeFile(join(troupe.folder, 'big.txt'), lines.join('\n'))
  await troupe.start(['run', 'Go', '--json', '--permission-mode', 'dontAsk']).ended
  expect(results[0]).toMatch(
    /characters omitted\. The whole output has 6,000 lines \(\d+ KB\)\. Read on with Read \(file_path "\/\S+\/tool-results\/\S+\.txt"/,
  )
  expect(results[0]).not.toContain('3000:line 3000')
  expect(results[1]).toContain('3000:line 3000')
})
