/**
 * A real file on a simulated faulty disk: a write may stop halfway or fail, and a sync may fail. Then, as on a real
 * disk, all writes since the last sync may be lost.
 */
import { type FileHandle, open } from 'node:fs/promises'
import type { OpenFile } from '../log-file.ts'

interface MoodyDisk {
  readonly open: OpenFile
  /** The results of the next operations, one each. With an empty list, all operations succeed. */
  readonly moods: Mood[]
  readonly writes: number
  readonly syncs: number
  readonly openFiles: number
}

/** `short` writes half; a code fails, after half of the bytes were written. */
export type Mood = 'fine' | 'short' | 'ENOSPC' | 'EIO' | 'EROFS' | 'EACCES'

export function createMoodyDisk(): MoodyDisk {
  const moods: Mood[] = []
  const counts = { writes: 0, syncs: 0, openFiles: 0 }
  const failed = (code: string) => Object.assign(new Error(`${code}: the disk said so`), { code })

  function wrap(file: FileHandle): FileHandle {
    counts.openFiles++
    let durable = 0
    const own = {
      write: async (bytes: Buffer, offset: number, length: number, position: number) => {
        counts.writes++
        const mood = moods.shift() ?? 'fine'
        if (mood === 'fine') return file.write(bytes, offset, length, position)
        const half = Math.ceil(length / 2)
        const written = await file.write(bytes, offset, half, position)
        if (mood === 'short') return written
        throw failed(mood)
      },
      datasync: async () => {
        counts.syncs++
        const mood = moods.shift() ?? 'fine'
        const { size } = await file.stat()
        if (mood !== 'fine' && mood !== 'short') {
          await file.write(Buffer.alloc(Math.max(0, size - durable)), 0, null, durable)
          throw failed(mood)
        }
        await file.datasync()
        durable = size
      },
      close: async () => {
        counts.openFiles--
        await file.close()
      },
    }
    return new Proxy(file, {
      get: (target, name) => {
        if (name in own) return own[name as keyof typeof own]
        const value = Reflect.get(target, name) as unknown
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
  }

  return {
    moods,
    get writes() {
      return counts.writes
    },
    get syncs() {
      return counts.syncs
    },
    get openFiles() {
      return counts.openFiles
    },
    open: async (path, flags, mode) => wrap(await open(path, flags, mode)),
  }
}
