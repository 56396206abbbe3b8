import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { followDownload } from './program-installer.ts'

/** Each pause of the measurements lets the next step of the installation happen. */
async function follow(bytes: number, steps: readonly ((folder: string) => Promise<void>)[]) {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-download-'))
  const end = new AbortController()
  const percents: number[] = []
  const left = [...steps]
  const sleep = async () => {
    const step = left.shift()
    if (step === undefined) end.abort()
    else await step(folder)
  }
  await followDownload({
    ...{ folder, bytes, signal: end.signal },
    clock: { now: () => 0, sleep },
    onPercent: (percent) => percents.push(percent),
  })
  return percents
}

const put = (name: string, bytes: number) => async (folder: string) => {
  await mkdir(join(folder, name, '..'), { recursive: true })
  await writeFile(join(folder, name), 'x'.repeat(bytes))
}

test('the percentage follows the files in all folders, only grows, and ends below 100', async () => {
  const steps = [put('a', 100), put('deep/er/b', 300), put('a', 10), put('c', 5000)]
  expect(await follow(1000, steps)).toEqual([10, 40, 99])
})

test('an unknown size tells nothing', async () => {
  expect(await follow(0, [put('a', 100)])).toEqual([])
})
