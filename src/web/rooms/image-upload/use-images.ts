import { useEffect, useRef, useState } from 'react';
import { fileTexts } from '#web/submission/file-texts.ts';
import { useToast, type ShowToast } from '#web/ui/toast.tsx';
import { addFiles, type SelectionProblem, type SelectionRules } from './selection.ts';
import { texts } from './texts.ts';

/** `path` is given with the first upload and kept, so that a second try overwrites instead of doubling. */
export type Image = Readonly<{
  key: string;
  file: File;
  name: string;
  size: number;
  preview: string;
  path?: string;
  state: 'waiting' | 'uploading' | 'done' | 'failed';
  detail?: string;
}>;

export type Images = Readonly<{
  images: readonly Image[];
  add: (files: readonly File[]) => void;
  remove: (key: string) => void;
  /** Applies to every image for which it returns something. */
  update: (change: (image: Image) => Partial<Image> | undefined) => void;
}>;

/** The images chosen on this screen; they live in memory only. */
export function useImages(rules: SelectionRules): Images {
  const toast = useToast();
  const [images, setImages] = useState<readonly Image[]>([]);
  const previews = useRef(new Set<string>());
  useEffect(() => {
    const made = previews.current;
    return () => made.forEach((preview) => URL.revokeObjectURL(preview));
  }, []);

  const replace = (next: readonly Image[]) => {
    const kept = new Set(next.map((image) => image.preview));
    for (const preview of previews.current) {
      if (!kept.has(preview)) URL.revokeObjectURL(preview);
    }
    previews.current.clear();
    for (const preview of kept) previews.current.add(preview);
    setImages(next);
  };
  return {
    images,
    add: (files) => {
      const { files: next, problem } = addFiles(images, files.map(toImage), rules);
      replace(next);
      if (problem !== undefined) toast({ ...messageOf(problem, rules), variant: 'destructive' });
    },
    remove: (key) => replace(images.filter((image) => image.key !== key)),
    update: (change) => setImages((now) => now.map((image) => ({ ...image, ...change(image) }))),
  };
}

function toImage(file: File): Image {
  const preview = URL.createObjectURL(file);
  return { key: crypto.randomUUID(), file, name: file.name, size: file.size, preview, state: 'waiting' };
}

function messageOf(problem: SelectionProblem, rules: SelectionRules): Parameters<ShowToast>[0] {
  if (problem.type === 'too-many') return rules.maxFiles === 1 ? texts.tooManyOne : texts.tooMany;
  if (problem.type === 'too-large') return texts.tooLarge(problem.name, problem.size, rules.maxBytes);
  if (problem.type === 'empty') return texts.empty(problem.name);
  const { title, description } = texts.wrongType;
  return { title, description: problem.heic ? `${description} ${fileTexts.heic}` : description };
}
