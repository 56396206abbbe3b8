import { execPath } from 'node:process'
import { expect, test } from 'vitest'
import type { DefinitionSnapshot } from '../../../../shared/events/agent-event.ts'
import { createHandClock } from '../../../runtime/testing/hand-clock.ts'
import { explainedFailure, startAgentProcess } from './agent-process.ts'

const REFUSED = `
console.error('refused', process.env.MY_API_KEY, 'in', process.env.PLACE)
process.stdin.resume()
`

test('neither its last lines nor its answers show the keys that a program got', async () => {
  const key = 'plain-words-as-a-key'
  const process = startAgentProcess({
    command: execPath,
    args: ['-e', REFUSED],
    cwd: '/',
    environment: { MY_API_KEY: key, PLACE: 'the-north-pole' },
  })
  await expect.poll(() => process.lastErrors()).toBe('refused [secret] in the-north-pole')
  const hand = createHandClock()
  const definition = { name: 'outsider' } as DefinitionSnapshot
  const explained = explainedFailure(process, `Wrong key: ${key}.`, { definition, clock: hand.clock })
  await hand.until(300)
  const end = await explained
  expect(end.kind === 'failed' && end.message).toContain('Wrong key: [secret].')
  expect(JSON.stringify(end)).not.toContain(key)
  await process.end()
})
