import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { COMMAND_FILES } from './command-files.ts'
import { findCommands } from './found-commands.ts'

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
    (manager) => (manager === 'npm' ? 'npm.example.com' : 'usual.example.com'),
  )
}

// Yarn 1 breaks a cache that two of it use at once.
const MUTEX = `--mutex file:\${TMPDIR:-/tmp}/yarn-mutex`

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
      ['npm.example.com'],
    ],
    [
      {
        'package.json': {},
        'pnpm-lock.yaml': '',
        '.npmrc': '@own:registry=https://own.example.com/\nregistry=https://all.example.com/npm/\n',
      },
      ['pnpm install --frozen-lockfile'],
      null,
      ['own.example.com', 'all.example.com'],
    ],
    [
      { 'package.json': { packageManager: 'pnpm@10' }, '.npmrc': '@own:registry=https://own.example.com' },
      ['pnpm install --no-lockfile'],
      null,
      ['own.example.com', 'npm.example.com'],
    ],
    [
      { 'package.json': { packageManager: 'yarn@1' } },
      [`yarn install --no-lockfile ${MUTEX}`],
      null,
      ['usual.example.com'],
    ],
    [
      { 'package.json': {}, 'yarn.lock': '# yarn lockfile v1\n' },
      [`yarn install --frozen-lockfile ${MUTEX}`],
      null,
      ['usual.example.com'],
    ],
    [
      { 'package.json': {}, 'yarn.lock': '__metadata:\n  version: 8\n' },
      ['yarn install --immutable'],
      null,
      ['usual.example.com'],
    ],
    [
      { 'package.json': {}, 'pnpm-lock.yaml': 'resolution: {tarball: https://git.example.com/a/tar.gz/1}' },
      ['pnpm install --frozen-lockfile'],
      null,
      ['git.example.com', 'npm.example.com'],
    ],
    [
      { 'package.json': {}, 'yarn.lock': '  resolved "https://yarn.example.com/a"', '.yarnrc.yml': '' },
      ['yarn install --immutable'],
      null,
      ['yarn.example.com'],
    ],
    [{ 'package.json': { packageManager: 'bun@1' } }, ['bun install --no-save'], null, ['npm.example.com']],
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
      ['npm.example.com'],
    ],
    [{ 'package.json': 'no json' }, ['npm install --no-package-lock'], null, ['npm.example.com']],
  ])('are proposed from what is there: %#', (files, setup, run, hosts) => {
    const found = inFolder(files)
    expect(found).toMatchObject({ commands: { setup, hosts }, isProposed: true, problems: [] })
    expect(found.commands.run[0]?.command ?? null).toBe(run)
  })

  it.each([
    ['vite', '', 5173],
    ['vite --port 3333 --open', '', 3333],
    ['vite', 'export default { server: { port: 3100 } }', 3100],
    ['cross-env PORT=4100 react-scripts start', '', 4100],
    ['astro dev', '', 4321],
    ['next dev', '', null],
    ['vitepress dev -p $PORT', '', null],
    ['mkdir -p 100 && node server.js', '', null],
  ])('lead to the port at which %j listens whatever PORT says', (dev, config, listens) => {
    const { commands } = inFolder({ 'package.json': { scripts: { dev } }, 'vite.config.ts': config })
    expect(commands.run).toEqual([
      { name: 'dev', command: 'npm run dev', portVariable: listens === null ? 'PORT' : null, listens },
    ])
  })

  it.each([
    [{ forwardPorts: [3000] }, 3000],
    [{ portsAttributes: { 3000: { label: 'Web' } } }, 3000],
    [{ forwardPorts: [3000, 5432] }, null],
    [{ forwardPorts: ['db:5432'] }, null],
  ])('lead to the only port of a dev container: %j', (container, listens) => {
    const { commands } = inFolder({
      '.devcontainer/devcontainer.json': container,
      'package.json': { scripts: { start: 'node server.js' } },
    })
    expect(commands.run[0]).toMatchObject({ portVariable: listens === null ? 'PORT' : null, listens })
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
