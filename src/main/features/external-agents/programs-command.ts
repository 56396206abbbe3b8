/** `troupe programs …`: the external agents that agents can be. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readDefinition } from '../../../shared/agent-definition/read-definition.ts'
import type {
  KnownPrograms,
  ProgramCheck,
  ProgramId,
  ProgramOffer,
  ProgramState,
} from '../../../shared/external-agents/known-program.ts'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import { makeVisible } from '../../../shared/kernel/visible-text.ts'
import { EXIT, failed, isYes, jsonLine, type Spoken } from '../../platform/command-line/terminal.ts'
import { makeFolders } from '../../platform/system/atomic-file.ts'
import { diskFailure } from '../../platform/system/disk-failure.ts'
import { codeOf } from '../../platform/system/error-code.ts'

export interface ProgramsContext extends Spoken {
  readonly programs: KnownPrograms
  /** Writes a definition of the user's own. @returns its file */
  readonly add: (program: CustomProgram) => Promise<Result<string>>
}

interface CustomProgram {
  readonly name: string
  readonly description: string
  readonly command: string
  readonly args: readonly string[]
  /** The names of the variables that it gets. */
  readonly env: readonly string[]
}

interface UpdatePrograms extends Asked {
  readonly verb: 'programs-update'
  /** Null: all that Troupe installed. */
  readonly id: ProgramId | null
}

/** The values of `troupe programs …`. */
export type ProgramsCommand = { readonly json: boolean } & (
  | { readonly verb: 'programs-list' }
  | ({ readonly verb: 'programs-install'; readonly id: ProgramId } & Asked)
  | UpdatePrograms
  | {
      readonly verb: 'programs-remove' | 'programs-check' | 'programs-enable' | 'programs-disable'
      readonly id: ProgramId
    }
  | { readonly verb: 'programs-add'; readonly program: CustomProgram }
)

/** @returns the exit code */
export async function programsCommand(command: ProgramsCommand, context: ProgramsContext): Promise<number> {
  const { programs } = context
  switch (command.verb) {
    case 'programs-list':
      return list(await programs.list(), command.json, context)
    case 'programs-install':
      return install(command.id, command, context)
    case 'programs-update':
      return update(command, context)
    case 'programs-check': {
      const checked = await programs.check(command.id)
      return checked.ok
        ? tellCheck(checked.value, command.json, context)
        : failed(context, checked.failure.message)
    }
    case 'programs-remove':
      return changed(await programs.remove(command.id), command, context)
    case 'programs-enable':
    case 'programs-disable':
      return changed(await programs.use(command.id, command.verb === 'programs-enable'), command, context)
    case 'programs-add': {
      const added = await context.add(command.program)
      if (!added.ok) return failed(context, added.failure.message)
      const { name } = command.program
      context.output.write(
        command.json
          ? jsonLine({ type: 'program-added', name, file: added.value })
          : `${name} is an agent now: ${makeVisible(added.value)}\n`,
      )
      return EXIT.done
    }
  }
}

function list(all: readonly ProgramState[], json: boolean, { output }: ProgramsContext): number {
  for (const each of all) output.write(json ? jsonLine({ type: 'program', ...each }) : textOf(each))
  return EXIT.done
}

async function changed(
  done: Result<void>,
  { id, json }: { readonly id: ProgramId; readonly json: boolean },
  context: ProgramsContext,
): Promise<number> {
  if (!done.ok) return failed(context, done.failure.message)
  const state = (await context.programs.list()).filter((each) => each.id === id)
  return list(state, json, context)
}

interface Asked {
  /** Whether the user has agreed already. */
  readonly yes: boolean
  readonly json: boolean
}

async function update(command: UpdatePrograms, context: ProgramsContext): Promise<number> {
  const all = await context.programs.list()
  const wanted = all.filter(({ id, place }) => (command.id === null ? place === 'own' : id === command.id))
  const missing = wanted.find(({ place }) => place !== 'own')
  if (missing !== undefined)
    return failed(
      context,
      missing.place === 'path'
        ? `Troupe did not install ${missing.title} (${missing.file}), so it does not update it. Update it as you installed it.`
        : `${missing.title} is not installed. Run: troupe programs install ${missing.id}`,
    )
  let isCurrent = true
  for (const { id } of wanted) {
    const offered = await context.programs.offer(id)
    if (!offered.ok) return failed(context, offered.failure.message)
    if (offered.value.version === offered.value.former) continue
    isCurrent = false
    const code = await accept(offered.value, command, context)
    if (code !== EXIT.done) return code
  }
  if (!isCurrent) return EXIT.done
  if (command.json) return list(wanted, true, context)
  context.output.write(
    wanted.length === 0 ? 'Troupe has installed no external agents.\n' : 'Everything is up to date.\n',
  )
  return EXIT.done
}

async function install(id: ProgramId, asked: Asked, context: ProgramsContext): Promise<number> {
  const offered = await context.programs.offer(id)
  return offered.ok ? accept(offered.value, asked, context) : failed(context, offered.failure.message)
}

/** Shows what would come and from whom, asks, and installs. */
async function accept(offer: ProgramOffer, { yes, json }: Asked, context: ProgramsContext): Promise<number> {
  const { programs, output, errors, ask } = context
  const { id } = offer
  const note = json ? errors : output
  note.write(offerText(offer))
  if (offer.problem !== null) return failed(context, offer.problem)
  if (!yes && ask === null) {
    failed(context, 'Nothing was installed, because nobody can be asked here. Add --yes to agree.')
    return EXIT.usage
  }
  if (!yes && ask !== null && !isYes(await ask('Install it? [y/N] '))) {
    note.write('Nothing was installed.\n')
    return EXIT.done
  }
  let last = ''
  const unwatch = programs.watch((all) => {
    const line = all.find((each) => each.id === id)?.work?.line ?? last
    // A number that counts up is no news.
    if (withoutNumbers(line) !== withoutNumbers(last)) errors.write(`${makeVisible(line)} …\n`)
    last = line
  })
  const done = await programs.install(id, offer.version)
  unwatch()
  return changed(done, { id, json }, context)
}

const withoutNumbers = (line: string): string => line.replaceAll(/\d+|s\b/g, '')

function offerText({ package: name, version, former, publisher, bytes, folder }: ProgramOffer): string {
  const lines = [
    former === null ? `${name} ${version}` : `${name}: from ${former} to ${version}`,
    `  publisher: ${publisher === null ? 'the registry does not say' : publisher}`,
    `  size: about ${Math.round(bytes / 1024 / 1024)} MB on the disk`,
    `  folder: ${folder}`,
  ]
  return lines.map((line) => `${makeVisible(line)}\n`).join('')
}

function textOf(state: ProgramState): string {
  const { id, title, maker, version, file, problem, note, login, lacks } = state
  const lines = [
    `${id}: ${title} by ${maker}, ${stateText(state)}`,
    ...(file === null ? [] : [`  ${version === null ? '' : `${version}, `}${file}`]),
    ...(problem === null ? [] : [`  problem: ${problem}`]),
    ...(note === null ? [] : [`  ${note}`]),
    ...(state.place === 'none' ? [] : [`  ${login}`, ...lacks.map((lack) => `  ${lack}`)]),
  ]
  return lines.map((line) => `${makeVisible(line)}\n`).join('')
}

function stateText({ id, place, isUsed, update }: ProgramState): string {
  if (place === 'none') return `not installed: troupe programs install ${id}`
  const use = isUsed ? 'an agent' : `not an agent yet: troupe programs enable ${id}`
  const news = update === null ? '' : `; version ${update} is there: troupe programs update ${id}`
  return `${place === 'own' ? 'installed' : 'found'}, ${use}${news}`
}

function tellCheck(check: ProgramCheck, json: boolean, { output }: ProgramsContext): number {
  const { id, name, version, ms, can, login } = check
  if (json) {
    output.write(jsonLine({ type: 'program-check', ...check }))
    return login === null ? EXIT.done : EXIT.failed
  }
  const abilities = [
    can.resume ? 'opens earlier sessions' : 'opens no earlier sessions',
    can.images ? 'reads images' : 'reads no images',
  ]
  const lines = [
    `${id}: ${name ?? 'a program without a name'} ${version ?? ''}`.trimEnd(),
    `  answered in ${(ms / 1000).toFixed(1)} s; ${abilities.join(', ')}`,
    ...(login === null
      ? ['  can be used now']
      : [
          `  needs a login: ${login.message}`,
          ...login.methods.map(
            (method) => `    ${method.name}${method.description === '' ? '' : `: ${method.description}`}`,
          ),
        ]),
  ]
  output.write(lines.map((line) => `${makeVisible(line)}\n`).join(''))
  return login === null ? EXIT.done : EXIT.failed
}

/**
 * Makes an agent of a program that Troupe does not know: a definition in the user's own agents folder. Fails with `taken`,
 * `refused` or a failure of the disk.
 *
 * @returns the definition's file
 */
export async function addProgram(program: CustomProgram, home: string): Promise<Result<string>> {
  const { name } = program
  const text = definitionOf(program)
  const { offered, diagnostics } = readDefinition(text, { stem: name, source: 'the user' })
  if (!offered) {
    const reasons = diagnostics.filter(({ severity }) => severity === 'error').map(({ message }) => message)
    return fail({ type: 'refused', message: `${name} was not added. ${reasons.join(' ')}` })
  }
  const folder = join(home, '.claude', 'agents')
  const file = join(folder, `${name}.md`)
  try {
    await makeFolders(folder)
    await writeFile(file, text, { flag: 'wx' })
    return ok(file)
  } catch (thrown) {
    return fail(
      codeOf(thrown) === 'EEXIST'
        ? { type: 'taken', message: `${file} is there already. Choose another name, or change that file.` }
        : diskFailure(thrown, `${name} was not added`, file),
    )
  }
}

function definitionOf({ name, description, command, args, env }: CustomProgram): string {
  // A JSON text is a quoted text of YAML.
  const lines = [
    `name: ${name}`,
    `description: ${JSON.stringify(description)}`,
    'backing: acp',
    `command: ${JSON.stringify(command)}`,
    ...(args.length === 0 ? [] : [`args: ${JSON.stringify(args)}`]),
    ...(env.length === 0 ? [] : [`env: [${env.join(', ')}]`]),
  ]
  return `---\n${lines.join('\n')}\n---\n`
}
