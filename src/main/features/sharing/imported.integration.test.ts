import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { unwrap } from '../../platform/transcripts/testing/open-store.ts'
import { type ScenarioRuntime, scenarioRuntime } from '../../testing/scenario-runtime.ts'

let troupe: ScenarioRuntime
beforeAll(async () => {
  troupe = await scenarioRuntime('background')
})
afterAll(() => troupe.close())

test('an imported conversation can be listed, read and exported, but not continued or branched', async () => {
  const { program, home } = troupe
  const { runtime, sharing } = program
  const original = await troupe.begin('Work in the background.')
  await runtime.settled(original)
  const watch = { signal: new AbortController().signal }
  const path = join(home, 'one.jsonl')
  const share = { conversationId: original, format: 'jsonl', without: [], keepPaths: false } as const
  unwrap(await sharing.write(share, { ...watch, path, force: false }))
  const { conversationId } = unwrap(await sharing.import(path))

  const listed = (await runtime.conversations()).find(({ id }) => id === conversationId)
  expect(listed).toMatchObject({ readOnly: true, running: 0 })
  const [before, after] = [
    unwrap(await runtime.snapshot(original)),
    unwrap(await runtime.snapshot(conversationId)),
  ]
  expect(after.readOnly).toBe(true)
  expect(after.agents.map(({ report, turns }) => [report, turns])).toEqual(
    before.agents.map(({ report, turns }) => [report, turns]),
  )

  const refused = {
    ok: false,
    failure: { type: 'imported', message: expect.stringContaining('not continued') },
  }
  expect(
    await runtime.dispatch({ type: 'conversation.send', conversationId, agentId: null, content: 'More' }),
  ).toMatchObject(refused)
  expect(
    await runtime.dispatch({ type: 'conversation.branch', conversationId, seq: null, content: null }),
  ).toMatchObject(refused)
  expect(await runtime.conversations()).toHaveLength(2)
})
