import { expect, test } from 'vitest'
import { readDevcontainerImage } from './devcontainer-image.ts'
import { findCommands } from './found-commands.ts'

const FILE = '.devcontainer/devcontainer.json'
const read = (value: unknown) => readDevcontainerImage(FILE, JSON.stringify(value, null, 2))
const messageOf = (value: unknown) => {
  const found = read(value)
  return found.ok ? 'read' : found.failure.message
}

test('the image, or the Dockerfile with its context, counts from the file', () => {
  expect(
    read({ image: 'node:22', remoteUser: 'node', containerEnv: { A: '1' }, remoteEnv: { B: 2 } }),
  ).toEqual({
    ok: true,
    value: { name: 'node:22', build: null, variables: { A: '1', B: '2' } },
  })
  expect(
    read({ build: { dockerfile: 'Dockerfile', context: '..', args: { V: '22' }, target: 'dev' } }),
  ).toEqual({
    ok: true,
    value: {
      name: null,
      build: { file: '.devcontainer/Dockerfile', context: '.', target: 'dev', args: { V: '22' } },
      variables: {},
    },
  })
  expect(read({ dockerFile: 'Dockerfile' })).toMatchObject({
    value: { build: { file: '.devcontainer/Dockerfile', context: '.devcontainer' } },
  })
})

test.each([
  [{ dockerComposeFile: 'compose.yml' }, `${FILE}:2: Containers of Docker Compose are not supported.`],
  [
    { image: 'a', features: { 'ghcr.example/node:1': {} } },
    `${FILE}:3: Features of dev containers (ghcr.example/node:1) are not installed here.`,
  ],
  [{ image: 'a', mounts: ['type=bind,source=/,target=/host'] }, 'Nothing but the worktree is mounted.'],
  [{ image: 'a', runArgs: ['--init', '--network=host'] }, '"--network=host" is for a container engine'],
  [{ image: 'a', runArgs: ['--volume', '/:/host'] }, '"--volume" is for a container engine'],
  [{ image: 'a', remoteEnv: { PATH: `\${containerEnv:PATH}:/x` } }, '"PATH" has a variable in its value'],
  [{ build: { dockerfile: '../../Dockerfile' } }, 'must be in the folder'],
  [{ name: 'Nothing' }, 'It names no image and no Dockerfile.'],
])('%j is refused with a sentence', (value, message) => {
  expect(messageOf(value)).toContain(message)
})

test('what only processes would get is left out', () => {
  const runArgs = ['--init', '--cap-add=SYS_PTRACE', '--security-opt', 'seccomp=unconfined', '--name', 'x']
  expect(read({ image: 'a', runArgs, customizations: {}, postCreateCommand: 'npm ci' })).toMatchObject({
    value: { name: 'a' },
  })
})

test('limits of processes are left out too', () => {
  const runArgs = ['--ulimit', 'nofile=1024', '--sysctl=net.core.somaxconn=9', '--ipc=host', '--pid=host']
  expect(read({ image: 'a', runArgs })).toMatchObject({ value: { name: 'a' } })
  expect(read({ image: 'a', runArgs: ['--env-file', '.env'] }).ok).toBe(false)
})

test('null takes a variable away', () => {
  expect(
    read({ image: 'a', containerEnv: { A: '1', B: '2' }, remoteEnv: { A: null, C: null } }),
  ).toMatchObject({ value: { variables: { B: '2' } } })
  const both = read({ image: 'a', containerEnv: { A: '1' }, remoteEnv: { A: null } })
  expect(both.ok && both.value.variables).toEqual({})
})

test.each([
  ['an argument of the build', { build: { dockerfile: 'D', args: { V: `\${localEnv:V:3}` } } }],
  ['the name of the image', { image: `a:\${localEnv:TAG}` }],
  ['the target', { build: { dockerfile: 'D', target: `\${localEnv:T}` } }],
])('a variable in %s is refused', (_what, given) => {
  expect(read(given)).toMatchObject({
    failure: { message: expect.stringContaining('which is not replaced here') },
  })
})

test('options of the build are refused, not forgotten', () => {
  expect(read({ build: { dockerfile: 'D', options: ['--build-arg=A=1'] } })).toMatchObject({
    failure: { message: expect.stringContaining('"options" of a build (--build-arg=A=1)') },
  })
})

test('.troupe/environment.yaml takes the image of the dev container only when it says so', () => {
  const dev = JSON.stringify({ image: 'node:22', postCreateCommand: 'npm ci' })
  const found = (yaml: string | null) =>
    findCommands(
      new Map([[FILE, dev], ...(yaml === null ? [] : [['.troupe/environment.yaml', yaml] as const])]),
      () => null,
    )
  expect(found(null).commands).toMatchObject({ setup: ['npm ci'] })
  expect(found(null).commands.image).toBeUndefined()
  expect(found('image: devcontainer').commands).toMatchObject({ image: { name: 'node:22' }, setup: [] })
  expect(
    findCommands(new Map([['.troupe/environment.yaml', 'image: devcontainer']]), () => null).problems,
  ).toEqual([
    '.troupe/environment.yaml: The image is that of the dev container, and there is no .devcontainer/devcontainer.json or .devcontainer.json.',
  ])
})
