/**
 * The files through which a conversation's program and a worker process on the same machine work together. Below the
 * data folder, for each agent:
 *
 *     workers/<agentId>/heartbeat.json          the process, while it runs; replaced every few seconds
 *     workers/<agentId>/locks/<agentId>/        held by the process
 *     workers/<agentId>/launched                a program started the process, and ends it when it closes
 *     workers/<agentId>/commands/<number>.json  in order; removed when carried out
 *     workers/<agentId>/log.txt                 what the process printed
 *     workers/<agentId>/jobs/<jobId>/job.json
 *     workers/<agentId>/jobs/<jobId>/taken      a worker has begun the job
 *     workers/<agentId>/jobs/<jobId>/reports.jsonl
 *     workers/<agentId>/jobs/<jobId>/refused.json
 *     workers/<agentId>/jobs/<jobId>/data/      the worker's own conversation
 */
import { readdir, readFile, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { z } from 'zod'
import { codeOf } from '../../platform/system/error-code.ts'
import { dataPaths } from '../../platform/transcripts/data-paths.ts'

export interface PaneFiles {
  readonly folder: string
  readonly heartbeat: string
  readonly commands: string
  readonly launched: string
  readonly log: string
  readonly jobs: string
  readonly locks: ReturnType<typeof dataPaths>
  job(jobId: string): PaneJobFiles
}

interface PaneJobFiles {
  readonly folder: string
  readonly job: string
  readonly taken: string
  readonly reports: string
  readonly refused: string
  readonly data: string
}

/** The folder with one folder for each agent. */
export const workersFolder = (dataFolder: string): string => join(dataFolder, 'workers')

export function paneFiles(dataFolder: string, agentId: string): PaneFiles {
  const folder = join(workersFolder(dataFolder), agentId)
  const jobs = join(folder, 'jobs')
  return {
    folder,
    heartbeat: join(folder, 'heartbeat.json'),
    commands: join(folder, 'commands'),
    launched: join(folder, 'launched'),
    log: join(folder, 'log.txt'),
    jobs,
    locks: dataPaths(folder),
    job: (jobId) => ({
      folder: join(jobs, jobId),
      job: join(jobs, jobId, 'job.json'),
      taken: join(jobs, jobId, 'taken'),
      reports: join(jobs, jobId, 'reports.jsonl'),
      refused: join(jobs, jobId, 'refused.json'),
      data: join(jobs, jobId, 'data'),
    }),
  }
}

/** The content of a JSON file; null: it does not exist or is not valid. */
export async function readJson<T>(path: string, schema: z.ZodType<T>): Promise<T | null> {
  try {
    const read = schema.safeParse(JSON.parse(await readFile(path, 'utf8')))
    return read.success ? read.data : null
  } catch {
    return null
  }
}

/** The names in a folder; none if it does not exist. */
export async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  }
}

export async function removeFile(path: string): Promise<void> {
  try {
    await unlink(path)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  }
}
