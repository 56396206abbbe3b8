import { existsSync } from 'node:fs'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startInside } from './start-inside.ts'

/** Stands for bubblewrap: it says its process id and starts the program, in a home with a startup file of bash. */
const STAND_IN = `#!/bin/sh
echo "{\\"child-pid\\": $$}" >&3
while [ "$1" != -- ]; do shift; done
shift
export HOME="$(dirname "$0")"
exec "$@"
`

test.skipIf(process.platform !== 'linux')('what waits inside reads no startup file of the user', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-inside-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const program = join(folder, 'stand-in')
  await writeFile(program, STAND_IN)
  await chmod(program, 0o755)
  await writeFile(join(folder, '.bashrc'), `touch ${join(folder, 'was-read')}\n`)
  const inside = await startInside([program], { files: ['ns/net'] })
  expect(inside?.files).toHaveLength(1)
  inside?.close()
  expect(existsSync(join(folder, 'was-read'))).toBe(false)
})
