/**
 * Takes screenshots of the scenes: `node e2e/harness/shoot.ts --out <folder> [--size 1440x900] [--theme dark] [--scene
 * stage] [--keys "Control+k"] [--click text] [--query "still"]`. Options may be repeated; without them all scenes are
 * taken in both sizes and themes. Uses the system's Chromium.
 */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { chromium, type Page } from 'playwright'
import { build, preview } from 'vite'

const { values } = parseArgs({
  options: {
    out: { type: 'string' },
    size: { type: 'string', multiple: true },
    theme: { type: 'string', multiple: true },
    scene: { type: 'string', multiple: true },
    keys: { type: 'string', multiple: true },
    click: { type: 'string', multiple: true },
    type: { type: 'string', multiple: true },
    query: { type: 'string' },
    name: { type: 'string' },
    chromium: { type: 'string' },
  },
})
const out = values.out ?? 'test-results/pictures'
const configFile = join(import.meta.dirname, 'vite.config.ts')
await mkdir(out, { recursive: true })
await build({ configFile, logLevel: 'error' })
const server = await preview({ configFile, logLevel: 'error', preview: { host: '127.0.0.1', port: 0 } })
const origin = server.resolvedUrls?.local[0]
if (origin === undefined) throw new Error('the preview server has no address')
const browser = await chromium.launch({
  executablePath: values.chromium ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--force-color-profile=srgb'],
})
try {
  for (const scene of values.scene ?? ['first-run', 'empty', 'stage', 'crowd', 'prompts', 'troubles'])
    for (const size of values.size ?? ['1440x900', '1100x700'])
      for (const theme of values.theme ?? ['dark', 'light']) await shoot(scene, size, theme)
} finally {
  await browser.close()
  await new Promise<void>((resolve) => server.httpServer.close(() => resolve()))
}

async function shoot(scene: string, size: string, theme: string): Promise<void> {
  const [width = 1440, height = 900] = size.split('x').map(Number)
  const page = await browser.newPage({
    viewport: { width, height },
    colorScheme: theme === 'light' ? 'light' : 'dark',
  })
  page.on('pageerror', (error) => console.error(`${scene}: ${error.stack ?? error.message}`))
  page.on('console', (message) => {
    if (message.type() === 'error') console.error(`${scene}: ${message.text()}`)
  })
  await page.goto(
    `${origin}e2e/harness/index.html?harness=${scene}&theme=${theme}&${values.query ?? 'still'}`,
  )
  await page.waitForLoadState('networkidle')
  await page.evaluate(() => document.fonts.ready)
  await act(page)
  const path = join(out, `${values.name ?? scene}-${size}-${theme}.png`)
  await page.screenshot({ path })
  console.log(path)
  await page.close()
}

/** Performs the clicks and keys of the options before the screenshot. */
async function act(page: Page): Promise<void> {
  await page.waitForTimeout(400)
  for (const text of values.click ?? []) await page.getByText(text).first().click()
  for (const keys of values.keys ?? []) await page.keyboard.press(keys)
  if (values.type !== undefined) await page.waitForTimeout(700)
  for (const text of values.type ?? []) await page.keyboard.type(text)
  if (values.click ?? values.keys ?? values.type) await page.waitForTimeout(400)
}
