/**
 * Takes screenshots of the scenes: `node e2e/harness/shoot.ts --out <folder> [--size 1440x900] [--theme dark] [--scene
 * stage] [--keys "Control+k"] [--click text] [--query "still"]`. Options may be repeated; without them all scenes are
 * taken in both sizes and themes. `--docs` takes the pictures of docs/using instead. Uses the system's Chromium.
 */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { chromium } from 'playwright'
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
    docs: { type: 'boolean' },
  },
})

/** What is done in a scene before its picture is taken: first keys, then clicks on texts, then typing. */
interface Picture {
  readonly scene: string
  readonly name: string
  readonly keys?: readonly string[]
  readonly click?: readonly string[]
  readonly type?: readonly string[]
}

/** Those of `docs/using` that need no real agents at work; for the others see `e2e/screenshots.ts`. */
const DOCS: readonly Picture[] = [
  { name: 'first-start', scene: 'first-run' },
  { name: 'requests', scene: 'queue', keys: ['Control+Shift+P'] },
  { name: 'done', scene: 'done' },
  { name: 'environments', scene: 'environments', keys: ['Control+6'] },
  { name: 'pull-request', scene: 'review-pull-request', keys: ['Control+4'] },
  { name: 'timeline', scene: 'timeline', keys: ['Control+3'] },
  { name: 'search', scene: 'search', keys: ['Control+Shift+F'], type: ['key'] },
  { name: 'conversations', scene: 'conversations', keys: ['Control+Shift+H'] },
  { name: 'histories', scene: 'histories', click: ['Other agent programs'] },
  { name: 'insight', scene: 'insight' },
  { name: 'export', scene: 'export' },
  { name: 'tutorial', scene: 'tutorial' },
  { name: 'agent-tests', scene: 'agent-tests', click: ['1 of 6'] },
  { name: 'best-of-n', scene: 'best' },
  { name: 'messages', scene: 'messages' },
  { name: 'settings', scene: 'stage', keys: ['Control+,'] },
]

const out = values.docs
  ? join(import.meta.dirname, '..', '..', 'docs', 'images')
  : (values.out ?? 'test-results/pictures')
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
  if (values.docs)
    for (const picture of DOCS)
      await shoot(picture, { file: `${picture.name}-dark.png`, size: '1440x900', theme: 'dark' })
  else
    for (const scene of values.scene ?? ['first-run', 'empty', 'stage', 'crowd', 'prompts', 'troubles'])
      for (const size of values.size ?? ['1440x900', '1100x700'])
        for (const theme of values.theme ?? ['dark', 'light']) {
          const name = values.name ?? scene
          await shoot({ ...values, scene, name }, { file: `${name}-${size}-${theme}.png`, size, theme })
        }
} finally {
  await browser.close()
  await new Promise<void>((resolve) => server.httpServer.close(() => resolve()))
}

async function shoot(
  { scene, keys, click, type }: Picture,
  { file, size, theme }: { readonly file: string; readonly size: string; readonly theme: string },
): Promise<void> {
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
  await page.waitForTimeout(400)
  for (const each of keys ?? []) await page.keyboard.press(each)
  for (const text of click ?? []) await page.getByText(text).first().click()
  await page.waitForLoadState('networkidle')
  await page.waitForTimeout(700)
  if (type !== undefined) {
    for (const text of type) await page.keyboard.type(text)
    await page.waitForTimeout(700)
  }
  const path = join(out, file)
  await page.screenshot({ path })
  console.log(path)
  await page.close()
}
