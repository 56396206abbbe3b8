// Replaces Electron's default app, which runs `electron .`. This file is copied into the stand-in Electron, which has
// no default app.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { app } from 'electron'

process.defaultApp = true

const modules = []
let target
for (let i = 1; i < process.argv.length; i++) {
  const argument = process.argv[i]
  if (argument === '-r' || argument === '--require') modules.push(process.argv[++i])
  else if (argument.startsWith('--require=')) modules.push(argument.slice('--require='.length))
  else if (argument === '-v' || argument === '--version') {
    console.log(`v${process.versions.electron}`)
    process.exit(0)
  } else if (argument === '--') {
    target = process.argv[i + 1]
    break
  } else if (!argument.startsWith('-')) {
    target = argument
    break
  }
}

for (const module of modules) createRequire(join(process.cwd(), 'noop.js'))(module)

if (target === undefined) {
  console.error('Usage: electron <folder>')
  process.exit(1)
}

try {
  const folder = resolve(target)
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  if (manifest.version) app.setVersion(manifest.version)
  app.name = manifest.productName ?? manifest.name ?? app.name
  app.setDesktopName?.(manifest.desktopName ?? `${app.name}.desktop`)
  app.setAppPath(folder)
  await import(pathToFileURL(join(folder, manifest.main ?? 'index.js')).href)
} catch (error) {
  console.error(error)
  process.exit(1)
}
