/** The lines of hooks in settings files, for links to them. */
import type { HookDefinition } from '../../../shared/hooks/hooks.ts'
import { isRecord, jsonPlaces } from '../../platform/json/json-text.ts'

/** @returns the line of a hook, counted from 1; undefined: the text does not have the hook as it is */
export function hookLines(
  hooks: unknown,
  text: string | undefined,
): (definition: Pick<HookDefinition, 'event' | 'matcher' | 'run'>) => number | undefined {
  if (text === undefined || !isRecord(hooks)) return () => undefined
  const places = jsonPlaces(text)
  const lines = new Map<string, number>()
  const add = (path: readonly (string | number)[], hook: unknown, matcher: unknown) => {
    const run = isRecord(hook) ? (hook['command'] ?? hook['url'] ?? hook['prompt']) : undefined
    const line = places.get(JSON.stringify(path))?.line
    if (typeof run === 'string' && line !== undefined)
      lines.set(keyOf({ event: String(path[1]), matcher: String(matcher ?? ''), run: run.trim() }), line)
  }
  for (const [event, groups] of Object.entries(hooks))
    for (const [at, group] of (Array.isArray(groups) ? groups : []).entries()) {
      if (!isRecord(group)) continue
      const { hooks: inGroup, matcher } = group
      if (Array.isArray(inGroup))
        for (const [index, hook] of inGroup.entries())
          add(['hooks', event, at, 'hooks', index], hook, matcher)
      else add(['hooks', event, at], group, matcher)
    }
  return (definition) => lines.get(keyOf(definition))
}

const keyOf = ({ event, matcher, run }: Record<'event' | 'matcher' | 'run', string>): string =>
  JSON.stringify([event, matcher, run])
