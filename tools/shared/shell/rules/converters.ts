import { commandName, type SimpleCommand } from '../command.ts';
import { isStatic } from '../pattern.ts';
import { ask, type Rule, streaming, writing } from './rule.ts';

/** Programs that make a file of another, or change files in place, as far as they are often used. Of the words only those are looked at that lead elsewhere. */

const INTO_LAST =
  /^(?:convert|magick|composite|montage|sox|cwebp|dwebp|gif2webp|pdftk|pdfunite|pdfseparate|pdftotext|pdftoppm|pdftocairo|pdfcrop|qpdf|ps2pdf|wkhtmltopdf|wkhtmltoimage|rsvg-convert|gifski|heif-convert|mksquashfs|brotli|lz4|unrar|unar|qemu-img|djxl|cjxl|avifenc|dot2tex|potrace)$/u;
const IN_PLACE =
  /^(?:mogrify|optipng|jpegoptim|pngquant|oxipng|svgo|exiftool|black|isort|rustfmt|autopep8|dos2unix|unix2dos|pigz|unpigz|pbzip2|lbzip2|lzip|plzip|lzma|unlzma|lzop|compress|uncompress|unzstd|unlz4|rename|prename|mmv|touchp|truncate|setfattr)$/u;
/** These only where they are told to. */
const WHEN_ASKED: Readonly<Record<string, RegExp>> = {
  prettier: /^(?:-w|--write)$/u,
  eslint: /^--fix/u,
  gofmt: /^-w$/u,
  goimports: /^-w$/u,
  shfmt: /^-\w*w/u,
  'clang-format': /^-i$/u,
  ruff: /^(?:format|--fix)$/u,
  biome: /^--(?:write|fix|apply)/u,
  stylelint: /^--fix$/u,
  yapf: /^-\w*i|^--in-place$/u,
};

export const converters: Rule = (command, place) => {
  const files = outputs(command).filter((word) => isStatic(word) && /^(?:\/|\.\.(?:\/|$))/u.test(word));
  return files.flatMap((word) => streaming(word, command.directories, place)).slice(0, 1);
};

const SERVERS = /^(?:serve|http-server|live-server|miniserve|darkhttpd|httpd|sirv|simple-http-server|browser-sync)$/u;

/** A directory outside of the workspace, shown to whoever asks over the network. */
export const servers: Rule = (command, place) => {
  const words = command.argv.filter((word, index) => index > 0 || !/^(?:npx|bunx)$/u.test(word));
  const serves = SERVERS.test(commandName({ argv: words })) || (/^php[\d.]*$/u.test(commandName(command)) && command.argv.includes('-S'));
  const outside = words.slice(1).some((word) => /^(?:\/|\.\.)/u.test(word) && writing(word, command.directories, place).length > 0);
  return serves && outside ? ask('It shows what is outside of the workspace to the network.') : [];
};

function outputs(command: SimpleCommand): readonly string[] {
  const [, ...all] = command.argv;
  const name = commandName(command);
  const words = name === 'npx' || name === 'bunx' ? all.slice(1) : all;
  const program = name === 'npx' || name === 'bunx' ? (all[0] ?? '') : name;
  const operands = words.filter((word) => !word.startsWith('-'));
  if (/^(?:ffmpeg|avconv)$/u.test(program))
    return words.filter((_, index) => !/^-(?:i|f|filter_complex_script|passlogfile|attach)$/u.test(words[index - 1] ?? ''));
  if (INTO_LAST.test(program)) return operands.slice(-1);
  if (IN_PLACE.test(program)) return operands;
  const asked = Object.hasOwn(WHEN_ASKED, program) ? WHEN_ASKED[program] : undefined;
  return asked !== undefined && words.some((word) => asked.test(word)) ? operands : [];
}
