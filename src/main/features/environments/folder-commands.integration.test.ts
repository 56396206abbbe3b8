/** The registries that the package managers of a machine name. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createRegistries } from './folder-commands.ts'

test('a package manager is asked once, in the home folder; one that is missing or fails names none', async () => {
  const home = mkdtempSync(join(tmpdir(), 'troupe-registries-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  const file = join(home, 'npm')
  writeFileSync(
    file,
    '#!/bin/sh\n[ "$*" = "config get registry" ] || exit 1\npwd >> asked.txt\necho https://packages.example.com/npm/\n',
  )
  chmodSync(file, 0o755)
  const registryOf = createRegistries({ PATH: `${home}:/bin` }, home)
  expect(await Promise.all([registryOf('npm'), registryOf('npm')])).toEqual([
    'packages.example.com',
    'packages.example.com',
  ])
  expect(await registryOf('yarn')).toBeNull()
  writeFileSync(join(home, 'yarn'), '#!/bin/sh\necho undefined\n', { mode: 0o755 })
  expect(await createRegistries({ PATH: `${home}:/bin` }, home)('yarn')).toBeNull()
})
