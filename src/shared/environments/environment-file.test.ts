import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { readEnvironmentFile, readYaml } from './environment-file.ts'

const messageOf = (text: string): string => {
  const read = readEnvironmentFile(text)
  return read.ok ? 'read' : read.failure.message
}

describe('.troupe/environment.yaml', () => {
  it('gives set-up, run and tear-down commands', () => {
    const read = readEnvironmentFile(
      [
        'setup:',
        '  - npm ci',
        '  - npm run db:create',
        'run:',
        '  web: npm run dev',
        '  api:',
        '    command: npm run api',
        '    portVariable: PORT',
        '    listens: 8080',
        'teardown: npm run db:drop',
        'hosts: [packages.example.com]',
      ].join('\n'),
    )
    expect(read).toEqual({
      ok: true,
      value: {
        setup: ['npm ci', 'npm run db:create'],
        run: [
          { name: 'web', command: 'npm run dev', portVariable: null, listens: null },
          { name: 'api', command: 'npm run api', portVariable: 'PORT', listens: 8080 },
        ],
        teardown: ['npm run db:drop'],
        hosts: ['packages.example.com'],
      },
    })
  })

  it('names an image, or how to build one', () => {
    expect(readEnvironmentFile('image: node:22-bookworm')).toMatchObject({
      value: { image: { name: 'node:22-bookworm', build: null, variables: {} } },
    })
    const built = 'image:\n  build: docker/Dockerfile\n  args: { VERSION: 22 }\n  variables: { DEBUG: "1" }'
    expect(readEnvironmentFile(built)).toMatchObject({
      value: {
        image: {
          name: null,
          build: { file: 'docker/Dockerfile', context: '.', target: null, args: { VERSION: '22' } },
          variables: { DEBUG: '1' },
        },
      },
    })
    expect(messageOf('image:\n  build: ../Dockerfile')).toBe(
      '.troupe/environment.yaml:2: "image.build" must be a path below the folder.',
    )
    expect(messageOf('image: { name: a, build: b }')).toContain('must have either "name" or "build".')
    expect(messageOf('image: --privileged')).toContain('is no name of an image')
  })

  it('may be empty, and may have one run command without a name', () => {
    expect(readEnvironmentFile('')).toMatchObject({ ok: true, value: { setup: [], run: [] } })
    expect(readEnvironmentFile('run: npm start')).toMatchObject({
      value: { run: [{ name: 'run', command: 'npm start' }] },
    })
  })

  it.each([
    [
      'setup: npm ci\nrunn: npm start',
      '.troupe/environment.yaml:2: "runn" is not known here. Known are: image, setup, run, teardown, hosts, share.',
    ],
    [
      'run:\n  web:\n    command: npm run dev\n    listens: 70000',
      '.troupe/environment.yaml:4: "run.web.listens" must be from 1 to 65535.',
    ],
    [
      'run:\n  web:\n    comand: npm run dev',
      '.troupe/environment.yaml:3: "run.web.comand" is not known here. Known are: command, portVariable, listens.',
    ],
    ['setup:\n  - npm ci\n  - ""', '.troupe/environment.yaml:3: "setup.1" must not be empty.'],
    ['setup: 3', '.troupe/environment.yaml:1: "setup" must be a command, or a list of commands.'],
    [
      'hosts:\n  - a.example.com\n  - "https://b.example.com"',
      '.troupe/environment.yaml:3: "hosts.1" is no host: write packages.example.com, or *.example.com.',
    ],
    [
      'run:\n  "a b": x',
      '.troupe/environment.yaml:2: "run.a b" is no name: use up to 30 letters, digits, ".", "_" and "-".',
    ],
    ['- npm ci', '.troupe/environment.yaml:1: must have keys: image, setup, run, teardown, hosts, share.'],
  ])('names the line of a mistake: %s', (text, message) => {
    expect(messageOf(text)).toBe(message)
  })

  it('names the line of what is no YAML', () => {
    expect(messageOf('setup: npm ci\nrun: [a')).toMatch(/^\.troupe\/environment\.yaml:2: .+\.$/)
  })

  it('reads any text without throwing, and names a line in every failure', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.json(), fc.string({ unit: fc.constantFrom(...'ab:-[]{}"\'&*!|>#\n\t ') })),
        (text) => {
          expect(messageOf(text)).toMatch(/^(read$|\.troupe\/environment\.yaml:\d+: [\s\S]+\.$)/)
        },
      ),
    )
  })

  it('gives back what was written', () => {
    const command = fc
      .string({ minLength: 1, maxLength: 60 })
      .filter((text) => text.trim() !== '' && !text.includes('\0'))
    const names = fc.uniqueArray(fc.stringMatching(/^[a-z][a-z0-9-]{0,9}$/), { maxLength: 4 })
    fc.assert(
      fc.property(fc.array(command, { maxLength: 4 }), names, command, (setup, run, line) => {
        const text = stringify({ setup, run: Object.fromEntries(run.map((name) => [name, line])) })
        const read = readEnvironmentFile(text)
        expect(read).toMatchObject({
          ok: true,
          value: {
            setup: setup.map((one) => one.trim()),
            run: run.map((name) => ({ name, command: line.trim() })),
          },
        })
      }),
    )
  })
})

describe('JSON of other programs', () => {
  it('may have comments, tabs and commas at the end', () => {
    const read = readYaml('a.json', '{\n\t// why\n\t"a": "x // y", /* no\n */ "b": [1, 2,],\n}')
    expect(read).toMatchObject({ ok: true, value: { value: { a: 'x // y', b: [1, 2] } } })
    expect(read.ok && read.value.line(['b', 1])).toBe(4)
  })

  it('is read as JSON.parse reads it', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), (value) => {
        const json = JSON.stringify(value, null, 2)
        fc.pre(!json.includes('"__proto__"'))
        expect(readYaml('a.json', json)).toMatchObject({ ok: true })
        const read = readYaml('a.json', json)
        expect(read.ok && read.value.value).toEqual(JSON.parse(json))
      }),
    )
  })
})
