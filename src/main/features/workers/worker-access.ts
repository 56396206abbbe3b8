/** The access to a model that a program gives to a worker process, as text: through a pipe, or a file for one reader. */
import { readFile, unlink } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { z } from 'zod'
import { fail, messageOf, ok, type Result } from '../../../shared/kernel/result.ts'
import type { ModelAccess } from '../../../shared/models/model-access.ts'
import { rehearsalPaces } from '../../../shared/models/rehearsal-pace.ts'

const workerAccess = z.object({
  access: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('none') }),
    z.object({ kind: z.literal('rehearsal') }),
    z.object({
      kind: z.literal('api'),
      key: z.string().nullable(),
      authToken: z.string().nullable(),
      baseUrl: z.string(),
    }),
  ]),
  pace: z.union([z.number(), z.enum(rehearsalPaces)]),
  /** The keys of providers that the key store has, by their names. */
  keys: z.record(z.string(), z.string()).default({}),
})
export type WorkerAccess = z.infer<typeof workerAccess>

export function encodeAccess(access: ModelAccess, more: Pick<WorkerAccess, 'pace' | 'keys'>): string {
  if (access.kind !== 'api') return JSON.stringify({ access, ...more })
  const { kind, key, authToken = null, baseUrl } = access
  return JSON.stringify({ access: { kind, key, authToken, baseUrl }, ...more })
}

/** @param source `-`: standard input; otherwise a file, which is removed. Fails with `no-access`. */
export async function readAccess(
  source: string,
  input: NodeJS.ReadableStream,
): Promise<Result<WorkerAccess>> {
  try {
    const given = source === '-' ? await text(input) : await readFile(source, 'utf8')
    if (source !== '-') await unlink(source)
    return ok(workerAccess.parse(JSON.parse(given)))
  } catch (error) {
    return fail({
      type: 'no-access',
      message: `The access to a model can’t be read from ${source === '-' ? 'standard input' : source}: ${messageOf(error)}`,
    })
  }
}
