import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { COMMAND_FILES, findCommands } from './found-commands.ts'

const inFolder = (files: Readonly<Record<string, unknown>>) => {
  // Only these are read from a folder.
  expect(COMMAND_FILES).toEqual(expect.arrayContaining(Object.keys(files)))
  return findCommands(
    new Map(
      Object.entries(files).map(([path, text]) => [
        path,
        typeof text === 'string' ? text : JSON.stringify(text),
      ]),
    ),
  )
}

describe('the commands of a folder', () => {
  it('come from its own file alone, if it has one', () => {
    const found = inFolder({
      '.troupe/environment.yaml': 'setup: make deps',
      'conductor.json': { scripts: { run: 'npm run dev' } },
      'package.json': { scripts: { dev: 'vite' } },
    })
    expect(found).toEqual({
      commands: { setup: ['make deps'], run: [], teardown: [], hosts: [] },
      sources: ['.troupe/environment.yaml'],
      isProposed: false,
      problems: [],
    })
  })

  it('are none where its own file has a mistake', () => {
    const found = inFolder({ '.troupe/environment.yaml': 'setup: [', 'package.json': {} })
    expect(found.commands.setup).toEqual([])
    expect(found.problems).toHaveLength(1)
  })

  it('are those of Conductor, with its tear-down', () => {
    const scripts = { setup: './setup.sh', run: 'npm run dev', archive: './drop.sh' }
    expect(inFolder({ 'conductor.json': { scripts } })).toMatchObject({
      commands: {
        setup: ['./setup.sh'],
        run: [{ name: 'run', command: 'npm run dev', portVariable: 'PORT' }],
        teardown: ['./drop.sh'],
      },
      sources: ['conductor.json'],
      isProposed: false,
    })
  })

  it('join the servers of launch.json with the set-up of a dev container', () => {
    const found = inFolder({
      '.claude/launch.json': {
        version: '0.0.1',
        configurations: [
          { name: 'Web app', runtimeExecutable: 'npm', runtimeArgs: ['run', 'dev'], port: 3000 },
          {
            name: 'Web app',
            runtimeExecutable: 'go',
            runtimeArgs: ['run', '.'],
            cwd: 'api',
            autoPort: true,
            env: { A: 'b c' },
          },
        ],
      },
      '.devcontainer/devcontainer.json':
        '{ // image\n "onCreateCommand": ["npm", "ci"], "postCreateCommand": {"a": "make a", "b": "make b"}, }',
    })
    expect(found).toEqual({
      commands: {
        setup: ['npm ci', 'make a', 'make b'],
        run: [
          { name: 'web-app', command: 'npm run dev', portVariable: null, listens: 3000 },
          { name: 'web-app-2', command: "cd api && A='b c' go run .", portVariable: 'PORT', listens: null },
        ],
        teardown: [],
        hosts: [],
      },
      sources: ['.devcontainer/devcontainer.json', '.claude/launch.json'],
      isProposed: false,
      problems: [],
    })
  })

  it.each([
    [
      {
        'package.json': { scripts: { dev: 'vite' } },
        'package-lock.json':
          '"resolved": "https://packages.example.com/a.tgz", "funding": { "url": "https://funds.example.com/a" }',
      },
      ['npm ci'],
      'npm run dev',
      ['packages.example.com'],
    ],
    [
      { 'package.json': { scripts: { start: 'x' } }, 'pnpm-lock.yaml': '' },
      ['pnpm install --frozen-lockfile'],
      'pnpm run start',
      [],
    ],
    [
      { 'package.json': {}, 'yarn.lock': '  resolved "https://yarn.example.com/a"', '.yarnrc.yml': '' },
      ['yarn install --immutable'],
      null,
      ['yarn.example.com'],
    ],
    [{ 'package.json': { packageManager: 'bun@1' } }, ['bun install --frozen-lockfile'], null, []],
    [
      { 'uv.lock': 'source = { registry = "https://py.example.com/simple" }', 'pyproject.toml': '' },
      ['uv sync'],
      null,
      ['py.example.com'],
    ],
    [
      { 'requirements.txt': 'a', 'manage.py': '' },
      ['python3 -m venv .venv && .venv/bin/pip install -r requirements.txt'],
      '.venv/bin/python manage.py runserver 127.0.0.1:$TROUPE_PORT',
      [],
    ],
    [{ 'Cargo.toml': '' }, ['cargo build'], null, []],
    [
      {
        Makefile: 'VAR := x\nsetup: deps\n\tnpm ci\ndev:\n\tx\n',
        'package.json': { scripts: { dev: 'vite' } },
      },
      ['make setup'],
      'make dev',
      [],
    ],
    [{ 'package.json': 'no json' }, ['npm install'], null, []],
  ])('are proposed from what is there: %#', (files, setup, run, hosts) => {
    const found = inFolder(files)
    expect(found).toMatchObject({ commands: { setup, hosts }, isProposed: true, problems: [] })
    expect(found.commands.run[0]?.command ?? null).toBe(run)
  })

  it('say the line of a mistake in the file of another program', () => {
    const { problems } = inFolder({ 'conductor.json': '{\n "scripts": {\n  "setup": 3\n }\n}' })
    expect(problems).toEqual([expect.stringMatching(/^conductor\.json:3: "scripts\.setup" .+\.$/)])
  })

  it('are found in any files without throwing, with at most ten servers of different names', () => {
    const content = fc.oneof(fc.string(), fc.json(), fc.constantFrom('scripts:', '{"scripts":{"setup":"a"}}'))
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...COMMAND_FILES), content), (files) => {
        const { commands } = inFolder(files)
        const names = commands.run.map(({ name }) => name)
        expect(new Set(names).size).toBe(names.length)
        expect(names.length).toBeLessThanOrEqual(10)
      }),
    )
  })
})
