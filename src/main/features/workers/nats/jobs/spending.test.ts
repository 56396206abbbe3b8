/** A worker knows what it has spent today, also after a restart, and begins each day at nothing. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createSpending } from './worker-policy.ts'

test('the sum survives a restart, ends with the day, and a damaged file counts as nothing', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-spending-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  let now = Date.UTC(2026, 0, 1, 12)
  const first = await createSpending(folder, () => now)
  await first.add(1.5)
  await first.add(0.5)
  const second = await createSpending(folder, () => now)
  expect(second.today()).toBe(2)
  now += 12 * 60 * 60 * 1000
  expect(second.today()).toBe(0)
  await second.add(1)
  expect((await createSpending(folder, () => now)).today()).toBe(1)
  await writeFile(join(folder, 'worker-spending.json'), '{"day":')
  expect((await createSpending(folder, () => now)).today()).toBe(0)
})
