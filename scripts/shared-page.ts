/**
 * Builds the page of a shared conversation: its script and its style in its markup, with their hashes in its rules, so that
 * nothing else runs in it. `src/main/features/sharing/formats/page.ts` puts the data in.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { build, type Rolldown } from 'vite'
import { DATA_MARK } from '../src/shared/sharing/page-data.ts'

const root = join(import.meta.dirname, '..')
const folder = join(root, 'src', 'renderer', 'features', 'sharing', 'page')

/** @param file where the page goes */
export async function buildSharedPage(file: string): Promise<void> {
  const built = await build({
    configFile: false,
    root,
    logLevel: 'warn',
    publicDir: false,
    build: {
      write: false,
      target: 'chrome130',
      minify: true,
      cssMinify: true,
      modulePreload: false,
      lib: { entry: join(folder, 'page.ts'), formats: ['iife'], name: 'page', fileName: 'page' },
    },
  })
  const outputs = [built].flat().flatMap((one) => ('output' in one ? one.output : []))
  const script = outputs.find((one): one is Rolldown.OutputChunk => one.type === 'chunk')?.code
  const style = outputs.find((one) => one.type === 'asset' && one.fileName.endsWith('.css'))
  if (script === undefined || style?.type !== 'asset') throw new Error('the page has no script or no style')
  const css = `${colors()}${Buffer.from(style.source).toString()}`
  if (/<\/(?:script|style)/i.test(script + css)) throw new Error('the script would end its own element')
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, pageOf(script, css))
}

const pageOf = (script: string, style: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src '${hashOf(script)}'; style-src '${hashOf(style)}'; img-src data:; base-uri 'none'; form-action 'none'">
<meta name="referrer" content="no-referrer">
<title>Shared conversation</title>
<style>${style}</style>
</head>
<body>
<main id="page"><p class="loading" role="status">Reading the conversation…</p></main>
<noscript><p class="loading">This page shows a conversation with a script. Allow scripts to read it. It loads nothing from elsewhere.</p></noscript>
${DATA_MARK}
<script>${script}</script>
</body>
</html>
`

/** The colors of the window, which are defined in one place only. */
function colors(): string {
  const tokens = readFileSync(join(root, 'src', 'renderer', 'ui', 'tokens.css'), 'utf8')
  const found = /^:root \{.*?^\}/ms.exec(tokens)?.[0]
  if (found === undefined) throw new Error('tokens.css has no colors')
  return found.replaceAll(/\/\*.*?\*\//gs, '').replaceAll(/\s+/g, ' ')
}

const hashOf = (text: string): string => `sha256-${createHash('sha256').update(text).digest('base64')}`
