/** Adds a hook of the user to a settings file. Every other character of the file stays. */
import { lstat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type HookEvent, hookEventFacts, type NewHook } from '../../../shared/hooks/hooks.ts'
import { readMatcher } from '../../../shared/hooks/matcher.ts'
import { fail, ok, type Result, sentence } from '../../../shared/kernel/result.ts'
import { isRecord, parseJson } from '../../platform/json/json-text.ts'
import { withListItem } from '../../platform/json/splice-json.ts'
import { editTextFile } from '../../platform/system/edit-text-file.ts'

/** Fails with `bad-hook`, `taken` if the file has the same hook, or `io` or `json`; then the file is unchanged. */
export async function addHook(file: string, hook: NewHook): Promise<Result<void>> {
  const command = hook.command.trim()
  const matcher = hookEventFacts[hook.event].matcher === '' ? '' : hook.matcher.trim()
  if (command === '') return fail({ type: 'bad-hook', message: 'Enter the command to run.' })
  if (readMatcher(matcher) === null)
    return fail({ type: 'bad-hook', message: `The matcher ${matcher} is not a valid regular expression.` })
  const isInFolder = hook.source === 'project' || hook.source === 'local'
  if (isInFolder && (await isLink(dirname(file))))
    return fail({
      type: 'io',
      message: `${dirname(file)} is a link, so Troupe does not write in it. Edit it by hand.`,
    })
  return editTextFile(file, (text) => {
    if (hasHook(text, { event: hook.event, matcher, command }))
      return fail({ type: 'taken', message: `${file} has this hook already.` })
    const seconds = hook.timeout === null ? {} : { timeout: hook.timeout }
    const value = {
      ...(matcher !== '' && { matcher }),
      hooks: [{ type: 'command', command, ...seconds }],
    }
    const changed = withListItem(text, ['hooks', hook.event], { kind: 'append', value })
    return changed.ok ? changed : fail({ ...changed.failure, message: sentence(changed.failure.message) })
  })
}

async function isLink(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => null))?.isSymbolicLink() === true
}

/** What makes two command hooks of a file the same. */
interface WantedHook {
  readonly event: HookEvent
  /** Without surrounding spaces. Empty: all. */
  readonly matcher: string
  readonly command: string
}

function hasHook(text: string, { event, matcher, command }: WantedHook): boolean {
  const read = text.trim() === '' ? ok({}) : parseJson(text)
  const hooks = read.ok && isRecord(read.value) ? read.value['hooks'] : undefined
  const groups: unknown = isRecord(hooks) ? hooks[event] : undefined
  return (Array.isArray(groups) ? groups : []).some(
    (group: unknown) =>
      isRecord(group) &&
      String(group['matcher'] ?? '').trim() === matcher &&
      Array.isArray(group['hooks']) &&
      group['hooks'].some((one: unknown) => isRecord(one) && one['command'] === command),
  )
}
