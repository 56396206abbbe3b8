/**
 * The image of a dev container. What decides about the files that commands see, and can't be had here, is refused with a
 * sentence. What only an engine could give to processes, like a capability, they do not get.
 */
import { z } from 'zod'
import { fail, ok, type Result } from '../kernel/result.ts'
import type { EnvironmentImage } from './environment.ts'
import { mistakeOf, readYaml } from './environment-file.ts'

const texts = z.record(z.string(), z.coerce.string()).default({})
// Null takes a variable of `containerEnv` away.
const variablesOrNull = z.record(z.string(), z.union([z.null(), z.coerce.string()])).default({})
const build = z.looseObject({
  dockerfile: z.string().optional(),
  context: z.string().optional(),
  target: z.string().optional(),
  args: texts,
  options: z.array(z.string()).default([]),
})
const devcontainer = z.looseObject({
  image: z.string().optional(),
  build: build.optional(),
  // Both are of the format's first version.
  dockerFile: z.string().optional(),
  context: z.string().optional(),
  dockerComposeFile: z.unknown().optional(),
  features: z.record(z.string(), z.unknown()).default({}),
  mounts: z.array(z.unknown()).default([]),
  runArgs: z.array(z.string()).default([]),
  containerEnv: texts,
  remoteEnv: variablesOrNull,
})

/** @param name of the file, below the folder. Fails with `bad-file`: "FILE: what can't be had." */
export function readDevcontainerImage(name: string, content: string): Result<EnvironmentImage> {
  const read = readYaml(name, content)
  if (!read.ok) return read
  const parsed = devcontainer.safeParse(read.value.value ?? {})
  if (!parsed.success) return mistakeOf(name, read.value, parsed.error)
  const given = parsed.data
  const refuse = (key: string, reason: string): Result<never> =>
    fail({ type: 'bad-file', message: `${name}:${read.value.line([key])}: ${reason}` })
  if (given.dockerComposeFile !== undefined)
    return refuse('dockerComposeFile', 'Containers of Docker Compose are not supported. Name one image.')
  const [feature] = Object.keys(given.features)
  if (feature !== undefined)
    return refuse(
      'features',
      `Features of dev containers (${feature}) are not installed here. Use an image that has them.`,
    )
  if (given.mounts.length > 0)
    return refuse('mounts', 'Nothing but the worktree is mounted. Leave "mounts" out, or use another image.')
  const argument = given.runArgs.find((each, at) => !isForProcesses(each, given.runArgs[at - 1]))
  if (argument !== undefined)
    return refuse('runArgs', `"${argument}" is for a container engine, which runs no commands here.`)
  const [option] = given.build?.options ?? []
  if (option !== undefined)
    return refuse(
      'build',
      `"options" of a build (${option}) are not passed on. Write them into the Dockerfile.`,
    )
  const values: readonly (readonly [
    key: string,
    texts: Readonly<Record<string, string | null | undefined>>,
  ])[] = [
    ['image', { image: given.image }],
    ['build', { ...given.build?.args, dockerfile: given.build?.dockerfile, target: given.build?.target }],
    ['containerEnv', given.containerEnv],
    ['remoteEnv', given.remoteEnv],
  ]
  for (const [place, named] of values)
    for (const [key, value] of Object.entries(named))
      if (value?.includes('${') === true)
        return refuse(
          place,
          `"${key}" has a variable in its value (${value}), which is not replaced here. Write the value itself.`,
        )
  const variables: Record<string, string> = { ...given.containerEnv }
  for (const [key, value] of Object.entries(given.remoteEnv))
    if (value === null) delete variables[key]
    else variables[key] = value
  const file = given.build?.dockerfile ?? given.dockerFile
  if (file === undefined)
    return given.image === undefined
      ? refuse('', 'It names no image and no Dockerfile.')
      : ok({ name: given.image, build: null, variables })
  const around = name.split('/').slice(0, -1)
  const path = below(around, file)
  const context = below(around, given.build?.context ?? given.context ?? '.')
  if (path === null || context === null)
    return refuse('build', 'The Dockerfile and its context must be in the folder.')
  const { args = {}, target = null } = given.build ?? {}
  return ok({ name: null, build: { file: path, context, target, args }, variables })
}

const FOR_PROCESSES =
  /^--(init|rm|privileged|(cap-add|security-opt|name|hostname|shm-size|memory|cpus|ulimit|sysctl|ipc|pid|pids-limit)(=.*)?)$/

/** Whether an argument of an engine is about its processes, or the value of such an argument. */
const isForProcesses = (argument: string, before: string | undefined): boolean =>
  FOR_PROCESSES.test(argument) ||
  (before !== undefined && !argument.startsWith('-') && FOR_PROCESSES.test(before) && !before.includes('='))

/** A path below the folder; null: it leads out of it. @param around the folder that it counts from */
function below(around: readonly string[], path: string): string | null {
  if (path.startsWith('/') || path.includes('\0')) return null
  const parts: string[] = []
  for (const part of [...around, ...path.split('/')]) {
    if (part === '..') {
      if (parts.pop() === undefined) return null
    } else if (part !== '' && part !== '.') parts.push(part)
  }
  return parts.length === 0 ? '.' : parts.join('/')
}
