import { mkdtemp, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ok } from '../../../../shared/kernel/result.ts'
import { createNodeFileSystem } from '../../../platform/files/node-file-system.ts'
import { createHost, type HostOptions } from './session-host.ts'

/** A host whose file becomes a link to a secret right after its path was checked. */
async function createLateLink() {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'troupe-host-')))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const [path, secret] = [join(folder, 'notes.txt'), join(folder, 'secret.txt')]
  await writeFile(path, 'notes')
  await writeFile(secret, 'secret')
  const files = createNodeFileSystem()
  const host = createHost({
    agent: { state: () => ({ cwd: folder, lastSeq: 1 }) },
    permit: async () => ok({ because: null }),
    files: {
      ...files,
      realPath: async (wanted: string) => {
        const real = await files.realPath(wanted)
        await symlink(secret, `${path}.link`)
        await rename(`${path}.link`, path)
        return real
      },
    },
    signal: new AbortController().signal,
  } as unknown as HostOptions)
  return { host, path }
}

test('a file that became a link while its program was permitted to read it is not read', async () => {
  const { host, path } = await createLateLink()
  await expect(host.readFile({ sessionId: 's', path })).rejects.toThrow('could not be read')
})
