import { join } from 'node:path'
import { expect, test } from 'vitest'
import { helpPage } from './command-line.ts'

const about = (topic: string) => helpPage(join(import.meta.dirname, '../..'), topic)

test('a topic is the page of that name, with or without its ending', async () => {
  const page = await about('sandbox')
  expect(page).toMatchObject({ text: expect.stringMatching(/^# The sandbox for commands\n/) })
  expect(await about('sandbox.md')).toEqual(page)
  expect(await about('remote workers')).toMatchObject({ text: expect.stringMatching(/^# Remote workers\n/) })
})

test('topics lists all pages with their titles, and a misspelled one is recognized', async () => {
  const listed = await about('topics')
  expect(listed).toMatchObject({ text: expect.stringMatching(/^sandbox +The sandbox for commands$/m) })
  expect(JSON.stringify(listed)).not.toContain('README')
  expect(await about('sandbx')).toEqual({ near: 'sandbox' })
  expect(await about('nothing-like-it')).toBeNull()
  expect(await about('../architecture')).toBeNull()
})
