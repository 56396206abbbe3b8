/** Suggests the command that checks a project, from the files of its folder. Nothing is run. */
import { z } from 'zod'
import { resolvePath } from '../paths/paths.ts'
import type { SuggestedCheck } from '../ports/comparisons.ts'
import type { FileSystem } from '../ports/files.ts'

/** A longer file is not looked at. */
const LONGEST_FILE = 1 << 20

export async function suggestCheck(
  folder: string,
  files: Pick<FileSystem, 'read' | 'stat'>,
): Promise<SuggestedCheck | null> {
  const text = async (name: string): Promise<string | null> => {
    const read = await files.read(resolvePath(folder, name), { limit: LONGEST_FILE })
    return read.ok ? new TextDecoder().decode(read.value) : null
  }
  const exists = async (name: string) => (await files.stat(resolvePath(folder, name))).ok
  const manifest = await text('package.json')
  if (manifest !== null && hasTestScript(manifest)) {
    for (const [lock, program] of LOCKS)
      if (await exists(lock)) return { command: `${program} test`, from: 'package.json' }
    return { command: 'npm test', from: 'package.json' }
  }
  for (const [file, command] of PLAIN) if (await exists(file)) return { command, from: file }
  const python = await text('pyproject.toml')
  if (python?.includes('[tool.pytest')) return { command: 'pytest', from: 'pyproject.toml' }
  const makefile = await text('Makefile')
  return makefile !== null && /^test\s*:(?!=)/m.test(makefile)
    ? { command: 'make test', from: 'Makefile' }
    : null
}

/** The programs other than npm, by their lock file. */
const LOCKS = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun run'],
  ['bun.lockb', 'bun run'],
] as const

const PLAIN = [
  ['Cargo.toml', 'cargo test'],
  ['go.mod', 'go test ./...'],
  ['pytest.ini', 'pytest'],
] as const

const withScripts = z.object({ scripts: z.object({ test: z.string() }) })

/** `npm init` writes a test script that only fails. */
function hasTestScript(manifest: string): boolean {
  try {
    const read = withScripts.safeParse(JSON.parse(manifest))
    return read.success && !/no test specified/i.test(read.data.scripts.test)
  } catch {
    return false
  }
}
