import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from '@playwright/test'
import { buildSharedPage } from '../scripts/shared-page.ts'
import { shareChunks } from '../src/main/features/sharing/share-conversation.ts'
import {
  CONVERSATION,
  HOME,
  KEY,
  writeSample,
} from '../src/main/features/sharing/testing/sample-conversation.ts'
import { writeFileOf } from '../src/main/features/sharing/write-chunks.ts'
import { createSystemClock } from '../src/main/platform/system/machine-time.ts'
import { createTranscriptStore } from '../src/main/platform/transcripts/create-transcript-store.ts'
import { type BarePage, openBarePage } from './testing/bare-page.ts'
import { expectAccessible, machineOfEachTest } from './testing/troupe-window.ts'

const machine = machineOfEachTest()
let opened: BarePage | null = null
test.afterEach(async () => {
  await opened?.app.close()
  opened = null
})

/** Writes the sample conversation as a page and opens it. */
async function openPage(): Promise<BarePage & { readonly file: string }> {
  const folder = join(machine.base, 'shared')
  await mkdir(folder)
  const [file, pageFile] = [join(folder, 'shared.html'), join(folder, 'page.html')]
  await buildSharedPage(pageFile)
  const store = createTranscriptStore({ dataFolder: machine.home, clock: createSystemClock() })
  await writeSample(store)
  const share = { conversationId: CONVERSATION, format: 'html', without: [], keepPaths: false } as const
  const chunks = await shareChunks(share, {
    store,
    home: HOME,
    version: '1.2.3',
    pageFile,
    secrets: () => [KEY],
  })
  if (!chunks.ok) throw new Error(chunks.failure.message)
  const { signal } = new AbortController()
  expect(await writeFileOf(chunks.value, { path: file, force: false, signal })).toMatchObject({ ok: true })
  opened = await openBarePage(file, machine.base)
  await expect(opened.page.getByRole('heading', { level: 1 })).toHaveText('Make the retries honest')
  return { ...opened, file }
}

test('a shared page shows agents, transcripts, changes and the timeline, and asks for nothing', async () => {
  const { page, problems, requests, file } = await openPage()
  const agents = page.getByRole('navigation', { name: 'Agents' })
  await expect(agents.getByRole('button')).toHaveCount(3)
  await expect(page.getByText('Make the **retries** honest in ~/src/shop')).toBeVisible()
  await expectAccessible(page)

  await page.getByRole('button', { name: 'Write the test', exact: true }).click()
  // Markup of a model is text.
  await expect(page.getByText('</script><img src=x onerror=alert(1)>')).toBeVisible()
  await page.getByText('Edit ~/src/shop/retry.test.ts').click()
  await expect(page.getByRole('group', { name: 'Changes of ~/src/shop/retry.test.ts' })).toContainText('+b')
  await expectAccessible(page)

  await page.getByRole('button', { name: 'Changes', exact: true }).click()
  await page.getByText('~/src/shop/retry.test.ts').click()
  await expect(page.locator('.added .text')).toHaveText('b')
  await expectAccessible(page)

  await page.getByRole('button', { name: 'Timeline', exact: true }).click()
  await expect(page.locator('rect.span').first()).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Dark', exact: true }).click()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Light', exact: true }).click()
  await expectAccessible(page)

  expect(await page.content()).not.toContain(KEY)
  expect(await page.locator('img').count()).toBe(0)
  expect(problems).toEqual([])
  expect(await requests()).toEqual([pathToFileURL(file).href])
})

test('the whole page works with the keyboard', async () => {
  const { page } = await openPage()
  const shown = page.getByRole('main').getByRole('heading', { level: 2 })
  await expect(shown).toHaveText('Main agent')
  await page.keyboard.press('j')
  await expect(shown).toHaveText('Read the retry path')
  await page.keyboard.press('j')
  await page.keyboard.press('k')
  await expect(shown).toHaveText('Read the retry path')

  await page.keyboard.press('/')
  await page.keyboard.type('EXPECT(1)')
  await expect(page.getByText('1 row, Enter shows the first')).toBeVisible()
  await page.keyboard.press('Enter')
  await expect(shown).toHaveText('Write the test')
  await expect(page.locator('.is-found')).toContainText('expect(1)')
  await page.getByRole('searchbox').fill('nowhere at all')
  await expect(page.getByText('Nothing found')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('searchbox')).toHaveValue('')

  // A search finds folded text, and opens its fold.
  await page.keyboard.press('/')
  await page.keyboard.type('ANTHROPIC=')
  await page.keyboard.press('Enter')
  await expect(page.locator('.is-found pre').last()).toContainText('ANTHROPIC=[secret]')
  await page.keyboard.press('Escape')

  await page.keyboard.press('2')
  const timeline = page.getByRole('group', { name: /^Timeline/ })
  await timeline.focus()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('+')
  await expect(page.locator('.chosen')).toHaveText(/^Read the retry path: /)
  await page.keyboard.press('Enter')
  await expect(shown).toHaveText('Read the retry path')
  await page.keyboard.press('3')
  await expect(page.getByRole('region', { name: 'Changes' })).toBeVisible()
})
