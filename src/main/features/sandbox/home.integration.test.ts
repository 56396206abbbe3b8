/** What commands see of the home, and what package managers can do there. */
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { hasSandbox, type SandboxedShell, sandboxedShell } from './testing/sandboxed-shell.ts'

function prepared(files: Readonly<Record<string, string>>): SandboxedShell {
  const shell = sandboxedShell()
  onTestFinished(() => shell.close())
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(shell.home, name)), { recursive: true })
    writeFileSync(join(shell.home, name), content)
  }
  return shell
}

const loads = { domains: ['registry.example'] }

describe.skipIf(!hasSandbox)('downloads of package managers', () => {
  test('are read, and not written, by commands without a network', async () => {
    const shell = prepared({ '.npm/_cacache/one': 'mine', '.local/share/pnpm/store/two': 'mine' })
    const read = await shell.run('cat ~/.npm/_cacache/one ~/.local/share/pnpm/store/two')
    expect(read.output.trim()).toBe('minemine')
    const written = await shell.run('echo evil > ~/.npm/_cacache/one')
    expect(written.exitCode).not.toBe(0)
  })

  test('are private where a command may download: it writes what stays for the agent, and not yours', async () => {
    const shell = prepared({
      '.npm/_cacache/one': 'mine',
      '.local/share/pnpm/store/two': 'mine',
      '.local/share/pnpm/pnpm': 'program',
      '.cargo/registry/three': 'mine',
    })
    const names = '~/.npm/_cacache/one ~/.local/share/pnpm/store/two ~/.cargo/registry/three'
    const written = await shell.run(`ls ${names} 2>&1; echo evil | tee ${names}`, loads)
    expect(written).toMatchObject({ exitCode: 0 })
    expect(written.output.match(/No such file/g)).toHaveLength(3)
    expect((await shell.run('cat ~/.npm/_cacache/one ~/.local/share/pnpm/pnpm', loads)).output.trim()).toBe(
      'evil\nprogram',
    )
    expect((await shell.run('cat ~/.npm/_cacache/one', { ...loads, agentId: 'a-2' })).exitCode).not.toBe(0)
    for (const name of ['.npm/_cacache/one', '.local/share/pnpm/store/two', '.cargo/registry/three'])
      expect(readFileSync(join(shell.home, name), 'utf8')).toBe('mine')
  })

  test('are written where the user allows it', async () => {
    const shell = prepared({ '.npm/_cacache/one': 'mine' })
    const writes = [shell.folder, join(shell.home, '.npm')]
    await shell.run('echo more > ~/.npm/_cacache/one', { ...loads, writes })
    expect(readFileSync(join(shell.home, '.npm/_cacache/one'), 'utf8')).toBe('more\n')
  })

  test('npm installs into the folder with a cache of its own', async () => {
    const shell = prepared({ '.npm/_cacache/one': 'mine' })
    mkdirSync(join(shell.folder, 'a'))
    writeFileSync(join(shell.folder, 'a/package.json'), '{"name":"a","version":"1.0.0"}')
    const pack = 'cd a && npm pack >/dev/null && cd .. && npm init -y >/dev/null'
    const ended = await shell.run(`${pack} && npm install --no-audit --no-fund ./a/a-1.0.0.tgz 2>&1`, loads)
    expect(ended).toMatchObject({ exitCode: 0 })
    expect(readFileSync(join(shell.folder, 'node_modules/a/package.json'), 'utf8')).toContain('"a"')
  })
})

test.skipIf(!hasSandbox)('go is not asked for the version of what has no repository', async () => {
  const shell = prepared({})
  expect((await shell.run('echo "[$GOFLAGS]"')).output.trim()).toBe('[-buildvcs=false]')
  shell.git(['init', '--quiet'])
  expect((await shell.run('echo "[$GOFLAGS]"')).output.trim()).toBe('[]')
})

test.skipIf(!hasSandbox)('a command runs where PATH names a folder that nobody can look into', async () => {
  const loop = '/var/tmp/troupe-loop'
  const shell = sandboxedShell({ environment: { PATH: `${loop}/bin:${process.env['PATH']}` } })
  onTestFinished(() => shell.close())
  onTestFinished(() => rmSync(loop, { force: true }))
  symlinkSync(loop, loop)
  expect((await shell.run('echo ran')).output).toBe('ran\n')
})
